import { prepare, run } from './prepare.mjs'

const node = await prepare()
process.exit(await run(node, ['packages/server/bundle/main.js', ...process.argv.slice(2)]))
