// Reads the declaration files that the compiler wrote, statement by statement: there, each begins at the start of a line.
// Schemas are read from the sources instead: their inferred types repeat each other for a third of a megabyte.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Of everything a file exports: its name, and its declaration or the package that it comes from. */
export function exportsOf(file) {
  return [...read(file).exported].map(([name, { local, from }]) => {
    if (from && !from.startsWith('.')) return { name, from: name === local ? `'${from}'` : `${local} of '${from}'` }
    const declaration = find(local, from ? declarationFile(file, from) : file)
    if (!declaration) throw new Error(`${file} exports ${name}, and no statement declares it.`)
    return { name, declaration }
  })
}

/** What a declaration is made of, as far as it lies in the same package. */
export function usedBy({ text, file, isSource }) {
  const inline = [...text.matchAll(/import\("(\.[^"]+)"\)\.(\w+)/g)].map(([, from, name]) =>
    find(name, declarationFile(file, from)),
  )
  // Neither what stands in quotes nor names of fields.
  const words = text.replace(/(['"`]).*?\1/g, '').matchAll(/(?<![\w$])(?<!(?<!\.\.)\.)[A-Za-z_$][\w$]*(?![\w$]|\??:)/g)
  const named = [...new Set([...words].map(([word]) => word))].map((word) => find(word, file, isSource))
  return [...inline, ...named].filter((declaration) => declaration !== undefined)
}

function find(name, file, isSource = false) {
  const { declared, imported, exported } = read(file)
  const source = sourceOf(file)
  const text = declared.get(name)
  const inSource = source?.declared.get(name)
  const isSchema = text?.startsWith('const') && /\bz\.Zod/.test(text)
  if (inSource && (isSchema || (isSource && text === undefined)))
    return { id: `${file} ${name}`, name, file, text: inSource, isSource: true }
  if (text) return { id: `${file} ${name}`, name, file, text, isSource: false }
  const link = imported.get(name) ?? exported.get(name) ?? (isSource ? source?.imported.get(name) : undefined)
  return link?.from?.startsWith('.') ? find(link.local, declarationFile(file, link.from)) : undefined
}

const modules = new Map()

function read(file) {
  if (!modules.has(file)) modules.set(file, parse(readFileSync(file, 'utf8')))
  return modules.get(file)
}

function sourceOf(file) {
  const source = ['.ts', '.tsx']
    .map((extension) => file.replace('/dist/', '/src/').replace(/\.d\.ts$/, extension))
    .find(existsSync)
  return source === undefined || source === file ? undefined : read(source)
}

function declarationFile(from, specifier) {
  return join(dirname(from), specifier).replace(/(?<!\.d)\.(tsx?|js)$/, '.d.ts')
}

const COMMENTS = /^[ \t]*(?:\/\*[\s\S]*?\*\/|\/\/.*)\n/gm
const LIST = /^(import|export) (?:type )?\{([^}]*)\}(?: from '([^']+)')?/
const DECLARATION =
  /^(?:export )?(?:declare )?(?:abstract |async )*(?:const|type|interface|function\*?|class) (?<name>\w+)/

function parse(text) {
  const module = { declared: new Map(), imported: new Map(), exported: new Map() }
  for (const statement of text.replace(COMMENTS, '').split(/^(?=[a-z])/m)) {
    const [, word, list, from] = LIST.exec(statement) ?? []
    const links = word === 'import' ? module.imported : module.exported
    for (const entry of list?.split(',') ?? []) addLink(links, entry, from)

    const name = DECLARATION.exec(statement)?.groups.name
    if (name === undefined) continue
    if (statement.startsWith('export ')) module.exported.set(name, { local: name })
    const own = statement.replace(/^(export |declare )+/, '').replace(/^ +(#private|private .*);\n/gm, '')
    // A function may be declared more than once.
    const before = module.declared.has(name) ? `${module.declared.get(name)}\n` : ''
    module.declared.set(name, before + own.trimEnd())
  }
  return module
}

function addLink(links, entry, from) {
  const [local, name = local] = entry
    .trim()
    .replace(/^type /, '')
    .split(' as ')
  if (local !== '') links.set(name, { local, from })
}
