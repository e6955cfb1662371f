// Which rules of docs/spec does a test name, and which does none? A title begins with the rules it proves:
// '[W10.5] [WR-30] a bad answer is refused'. Ends with 1 when a title names a rule that no document has.
// With --short only the counts are told, and what is wrong.
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const isShort = process.argv.includes('--short')

/** A document's letter, then the number as it stands there: W5.3, K20.1.7, WR-30, DC2a. */
const ID = String.raw`[A-Z]{1,3}-?\d+[a-z]?(?:\.\d+)*`
const HEADING = new RegExp(String.raw`^#+ \[(${ID})\]`)
/** The item of a list, the row of a table, or a label: what a heading does not say. */
const LABELLED = new RegExp(String.raw`(?:^\d+\. |^- |^\| |\*\*)\[(${ID})\]`, 'g')
const NOT_BUILT = '*Not built yet'

/** The rules at the beginning of a title, or after a semicolon. A number without a letter, '[2.2] …', names nothing. */
const TAG = String.raw`\[${ID}\](?: |(?=['"\x60]))|\[(?:R-\d+|\d+(?:\.\d+)*)\] `
const TITLE = new RegExp(String.raw`(?:['"\x60](?:%s: )?|; )((?:${TAG})+)`, 'g')
const RULE = /\[([^\]]+)\]/g

const documents = filesBelow('docs/spec', /^(?!README).*\.md$/).map(readDocument)
const exists = new Set(documents.flatMap(({ rules }) => rules.map(({ id }) => id)))
const tests = ['packages', 'test'].flatMap((folder) => filesBelow(folder, /\.test\.tsx?$/))
const named = new Map(tests.flatMap((file) => rulesNamedIn(file).map((id) => [id, file])))

for (const { name, rules, isBuilt } of documents) {
  const isNamed = ({ id, inside }) => named.has(id) || inside.some((id) => named.has(id))
  const later = rules.filter((rule) => !rule.isBuilt && !isNamed(rule))
  const missing = rules.filter((rule) => rule.isBuilt && !isNamed(rule))
  const count = rules.length - later.length - missing.length
  console.log(
    `${name}: ${rules.length} rules, ${count} named by tests, ${missing.length} not named, ${later.length} not built${isBuilt ? '' : ' (the whole document)'}`,
  )
  if (isShort) continue
  tell('not named', missing)
  if (isBuilt) tell('not built', later)
}

const unknown = [...named].filter(([id]) => !exists.has(id))
for (const [id, file] of unknown)
  console.error(`[${id}] is named in ${relative(root, file)}, and no document of docs/spec has it.`)
process.exit(unknown.length > 0 ? 1 : 0)

/** Every rule with what lies inside of it, so that a section counts as named when a part of it is. */
function readDocument(file) {
  const [, head = ''] = readFileSync(file, 'utf8').split('\n\n')
  const isBuilt = !head.includes(NOT_BUILT)
  const rules = []
  let section
  for (const [line, next] of linesOf(file)) {
    const heading = HEADING.exec(line)
    if (heading) {
      const above = rules.filter(({ id, isHeading }) => isHeading && heading[1].startsWith(`${id}.`))
      section = { id: heading[1], inside: [], isHeading: true, above }
      section.isBuilt = isBuilt && !next.startsWith(NOT_BUILT) && above.every((rule) => rule.isBuilt)
      for (const rule of above) rule.inside.push(section.id)
      rules.push(section)
      continue
    }
    if (!section) continue
    for (const [, id] of line.matchAll(LABELLED)) {
      for (const rule of [section, ...section.above]) rule.inside.push(id)
      rules.push({ id, inside: [], isBuilt: section.isBuilt && !line.includes(NOT_BUILT) })
    }
  }
  return { name: relative(root, file), rules, isBuilt }
}

/** Lines outside of code, each with the next one that is not empty. */
function* linesOf(file) {
  const lines = readFileSync(file, 'utf8').split('\n')
  let isCode = false
  for (const [index, line] of lines.entries()) {
    if (line.startsWith('```')) isCode = !isCode
    if (!isCode) yield [line, lines.slice(index + 1, index + 4).find((next) => next !== '') ?? '']
  }
}

function rulesNamedIn(file) {
  const titles = [...readFileSync(file, 'utf8').matchAll(TITLE)].map(([, tags]) => tags)
  return titles.flatMap((tags) => [...tags.matchAll(RULE)].map(([, id]) => id))
}

function filesBelow(folder, pattern) {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && pattern.test(entry.name) && !entry.parentPath.includes('node_modules'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}

function tell(what, rules) {
  if (rules.length > 0) console.log(`  ${what}: ${rules.map(({ id }) => id).join(' ')}`)
}
