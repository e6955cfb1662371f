// Everything that can be said about the code without running the product. Stops at nothing, so that one run tells all.
import { findNode, install, run } from './prepare.mjs'

await install('all')
const node = findNode()
const steps = [
  ['types', ['node_modules/typescript/bin/tsc', '-b']],
  ['public names', ['scripts/api.mjs', '--check']],
  ['types of tests', ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.tests.json']],
  ['types of examples', ['node_modules/typescript/bin/tsc', '-p', 'examples']],
  ['lint', ['node_modules/oxlint/bin/oxlint', '--type-aware', '--deny-warnings']],
  ['format', ['node_modules/oxfmt/bin/oxfmt', '--check']],
  ['dead code', ['node_modules/knip/bin/knip.js', '--no-progress']],
  ['layers', ['node_modules/vitest/vitest.mjs', 'run', 'test/layers.test.ts', '--reporter=dot']],
  ['rules', ['scripts/untested-rules.mjs', '--short']],
]
const failed = []
for (const [name, args] of steps) {
  const started = Date.now()
  if ((await run(node, args)) !== 0) failed.push(name)
  const seconds = ((Date.now() - started) / 1000).toFixed(1)
  console.log(failed.includes(name) ? '✗' : '✓', name, `(${seconds} s)`)
}
if (failed.length > 0) console.error(`\ncheck failed: ${failed.join(', ')}`)
process.exit(failed.length > 0 ? 1 : 0)
