// Does a test notice when a rule of consent is weakened? Breaks one condition at a time, in a copy of the sources, and runs
// the suites of consent on it. Ends with 1 when a break goes unnoticed, or when a line it means is no longer there.
//   node scripts/mutate-consent.mjs [text that the name of a break, or its file, contains]
import { execFileSync, spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findNode } from './prepare.mjs'
import { MUTATIONS } from './consent-mutations.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const wanted = process.argv[2] ?? ''
const CONSENT = ['packages/server/test/sessions/consent', 'packages/server/test/sessions/confirm']
/** Where a break would be noticed, by the folder it is in. */
const SUITES = {
  confirm: ['packages/server/src/confirm/', ...CONSENT],
  core: ['packages/server/src/core/', ...CONSENT],
  runs: CONSENT,
  sessions: CONSENT,
  http: ['packages/server/src/http/'],
  tools: ['packages/server/src/tools/registry', 'packages/server/test/wire/consent'],
  faces: ['packages/server/test/wire/consent'],
}

const copy = mkdtempSync(join(tmpdir(), 'parley-mutations-'))
process.on('exit', () => rmSync(copy, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1))
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
for (const file of files.trim().split('\n')) cpSync(join(root, file), join(copy, file), { force: true })
symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
// As in vitest.config.ts, but in one thread and without the PostgreSQL: a break is the same on both.
writeFileSync(
  join(copy, 'vitest.config.ts'),
  `export default {
    resolve: { alias: [
      { find: /^@parley\\/([a-z-]+)$/, replacement: '${copy}/packages/$1/src/index.ts' },
      { find: /^@parley\\/protocol\\/([a-z-]+)$/, replacement: '${copy}/packages/protocol/src/$1.ts' },
    ] },
    test: { include: ['packages/server/**/*.test.ts'], testNamePattern: /^(?!.*on postgres)/, testTimeout: 20_000,
      pool: 'threads', maxWorkers: 1, isolate: false },
  }`,
)

const unbroken = await failingTest(Object.values(SUITES).flat())
if (unbroken) throw new Error(`Without a break it fails already: ${unbroken}`)
const survivors = []
const tried = MUTATIONS.filter(({ name, file }) => `${name} ${file}`.includes(wanted))
for (const { name, file, from, to } of tried) {
  const path = join(copy, 'packages/server/src', file)
  const source = readFileSync(path, 'utf8')
  const isThere = source.split(from).length === 2
  if (isThere)
    writeFileSync(
      path,
      source.replace(from, () => to),
    )
  const failed = isThere ? await failingTest(SUITES[file.split('/')[0]]) : undefined
  writeFileSync(path, source)
  if (!failed) survivors.push(name)
  console.log(
    failed ? '✓' : '✗',
    `${name} (${file})`,
    failed ? `→ ${failed}` : isThere ? 'NOBODY NOTICED' : 'NOT FOUND ONCE',
  )
}
console.log(`${survivors.length} of ${tried.length} unnoticed`)
process.exit(survivors.length > 0 ? 1 : 0)

/** The first test that fails. */
async function failingTest(suites) {
  const report = join(copy, 'report.json')
  const args = ['run', ...suites, '--bail=1', '--reporter=json', `--outputFile=${report}`]
  const child = spawn(findNode(), [join(root, 'node_modules/vitest/vitest.mjs'), ...args], {
    cwd: copy,
    stdio: 'ignore',
  })
  const code = await new Promise((resolve) => child.once('exit', resolve))
  if (code === 0) return undefined
  const { testResults } = JSON.parse(readFileSync(report, 'utf8'))
  rmSync(report)
  const failures = testResults.flatMap(({ name, status, message, assertionResults }) => [
    ...assertionResults.filter((one) => one.status === 'failed').map(({ title }) => title),
    ...(status === 'failed' && message ? [`${dirname(name).split('/').at(-1)}: ${message.split('\n')[0]}`] : []),
  ])
  return failures[0] ?? 'the suite as a whole'
}
