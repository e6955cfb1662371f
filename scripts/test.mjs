import { prepare, run } from './prepare.mjs'

const node = await prepare()
const reporters = ['--reporter=default', '--reporter=json', '--outputFile.json=.test-report.json']
process.exit(await run(node, ['node_modules/vitest/vitest.mjs', 'run', ...reporters, ...process.argv.slice(2)]))
