// Which rulings and flows of the wire protocol does no test name? A test's title starts with the rules it proves:
// '[10.5] [R-30] a bad answer is refused'. Ends with 1 when a rule that is in scope has none.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

const oneTo = (last, prefix) => Array.from({ length: last }, (_, index) => `${prefix}${index + 1}`)
const RULES = [...oneTo(76, 'R-'), ...oneTo(20, '10.')]

/** Not built yet. A rule that has a test now must leave this table. */
const LATER = {
  'R-19': 'plans',
  'R-21': 'compaction',
  'R-22': 'compaction',
  'R-48': 'compaction',
  'R-61': 'files',
  'R-64': 'checkpoints',
  'R-65': 'files',
  'R-66': 'cards',
  'R-69': 'sharing',
  'R-71': 'memories',
  'R-72': 'schedules',
  'R-74': 'console',
  'R-76': 'console',
  10.16: 'memories',
  10.17: 'cards',
  10.19: 'schedules',
}

/** A string that begins with a rule in brackets, and all the rules at its beginning or after a semicolon. */
const TITLE = /['"`]((?:%s: )?\[(?:R-\d+|\d+(?:\.\d+)*)[^\]\n]*\][^\n]*)/g
const RULE = /\[(R-\d+|\d+\.\d+)(?:[ .][^\]]*)?\]/g

const files = ['packages', 'apps', 'test']
  .map((folder) => join(root, folder))
  .filter((folder) => existsSync(folder))
  .flatMap((folder) => readdirSync(folder, { recursive: true }).map((file) => join(folder, file)))
  .filter((file) => /\.test\.tsx?$/.test(file) && !file.includes('node_modules'))
const named = new Set(
  files
    .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(TITLE)].map(([, title]) => title))
    .flatMap((title) => [...title.matchAll(RULE)].map(([, rule]) => rule)),
)

const later = RULES.filter((rule) => rule in LATER && !named.has(rule))
const missing = RULES.filter((rule) => !(rule in LATER) && !named.has(rule))
const early = RULES.filter((rule) => rule in LATER && named.has(rule))

console.log(
  `${RULES.length} rules in ${files.length} test files: ${RULES.length - later.length - missing.length} named, ${later.length} later, ${missing.length} missing.`,
)
if (later.length > 0) console.log(`later:   ${later.map((rule) => `${rule} (${LATER[rule]})`).join(', ')}`)
if (early.length > 0) console.log(`tested, and still in the table of later ones: ${early.join(', ')}`)
if (missing.length > 0) console.log(`missing: ${missing.join(', ')}`)
process.exit(missing.length > 0 || early.length > 0 ? 1 : 0)
