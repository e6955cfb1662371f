// Counts vitest's own report, and fails when a test file is missing from it. Argument: the exit code of `npm test`.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { root } from './prepare.mjs'

const report = join(root, '.test-report.json')
if (!existsSync(report)) {
  console.error('There is no test report: vitest did not finish.')
  process.exit(1)
}
const { testResults, numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, 'utf8'))
const ran = new Set(
  testResults.filter(({ assertionResults }) => assertionResults.length > 0).map(({ name }) => relative(root, name)),
)
const files = execFileSync('git', ['ls-files', '*.test.ts', '*.test.tsx'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter(Boolean)
const missing = files.filter((file) => !ran.has(file))
for (const file of missing) console.error(`did not run: ${file}`)
console.log(`${numPassedTests} passed, ${numFailedTests} failed`)
process.exit(missing.length > 0 || numFailedTests > 0 ? 1 : Number(process.argv[2] ?? 0))
