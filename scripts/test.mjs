import { prepareAll, run } from './prepare.mjs'

const node = await prepareAll()
const report = process.env.TEST_REPORT || '.test-report.json'
const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
process.exit(await run(node, ['node_modules/vitest/vitest.mjs', 'run', ...reporters, ...process.argv.slice(2)]))
