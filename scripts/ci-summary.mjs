// Counts vitest's own reports, and fails when a test file is missing from them. Arguments: the exit code of the tests, and
// the reports.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { root } from './prepare.mjs'

const [code, ...reports] = process.argv.slice(2)
const ran = new Set()
let [passed, failed] = [0, 0]
for (const report of reports) {
  if (!existsSync(report)) {
    console.error(`There is no test report ${report}: vitest did not finish.`)
    process.exit(1)
  }
  const { testResults, numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, 'utf8'))
  passed += numPassedTests
  failed += numFailedTests
  for (const { name, assertionResults } of testResults) {
    const file = relative(root, name)
    if (assertionResults.length > 0) ran.add(file)
    for (const { status, fullName, failureMessages } of assertionResults)
      if (status === 'failed')
        console.log(`failed: ${file}: ${fullName}\n  ${failureMessages[0]?.split('\n', 6).join('\n  ')}`)
  }
}
const files = execFileSync('git', ['ls-files', '*.test.ts', '*.test.tsx'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter(Boolean)
const missing = files.filter((file) => !ran.has(file))
for (const file of missing) console.error(`did not run: ${file}`)
console.log(`${passed} passed, ${failed} failed`)
process.exit(missing.length > 0 || failed > 0 ? 1 : Number(code ?? 0))
