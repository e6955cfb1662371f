// The crash suites with more rounds: npm run crash -- --rounds 500
import { prepareAll, run } from './prepare.mjs'

const at = process.argv.indexOf('--rounds')
const rounds = at > 0 ? process.argv[at + 1] : '50'
if (!/^[1-9]\d*$/.test(rounds ?? '')) {
  console.error('Usage: npm run crash -- --rounds N')
  process.exit(2)
}
const node = await prepareAll()
const timeout = `--testTimeout=${60_000 + Number(rounds) * 10_000}`
process.exit(
  await run(node, ['node_modules/vitest/vitest.mjs', 'run', 'packages/server/test/crash', timeout], {
    CRASH_ROUNDS: rounds,
  }),
)
