import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const SOURCES = ['packages', 'bench', 'examples', 'scripts', 'test', '.ci']
/** What a path in a document may be relative to. */
const BASES = ['.', 'packages/server/src', 'packages/chatkit/src', 'packages']

const files = SOURCES.flatMap((folder) => filesBelow(folder))
const words = wordsOf(files.filter((file) => !file.endsWith('.md') && file !== 'test/docs.test.ts'))

describe.each(['ARCHITECTURE.md', 'CONTRIBUTING.md', 'docs/spec/README.md', 'docs/glossary.md'])('%s', (document) => {
  const text = read(document)

  test('names no path that is not there', () => {
    expect(pathsIn(text).filter((path) => !isThere(path))).toEqual([])
  })

  test('names nothing that the sources do not have', () => {
    const named = quotesIn(text)
      .filter((quote) => !isPath(quote))
      .flatMap((quote) => quote.match(/[A-Za-z_$][\w$-]*/g) ?? [])
    expect([...new Set(named)].filter((name) => !isWord(name))).toEqual([])
  })

  test('says rightly which file a name is in', () => {
    const pairs = [...text.matchAll(/`(\w+)` (?:of|in) `([\w./-]+\.ts)`/g)].map(
      ([, name, path]) => [name!, path!] as const,
    )
    const isIn = (name: string, path: string) =>
      files.some((file) => file.endsWith(`/${path}`) && new RegExp(String.raw`\b${name}\b`).test(read(file)))
    expect(pairs.filter(([name, path]) => !isIn(name, path))).toEqual([])
  })

  test('names no command of npm that is not there', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
    const commands = [...text.matchAll(/`npm run ([\w:-]+)/g)].map(([, name]) => name!)
    expect(commands.filter((name) => !(name in scripts))).toEqual([])
  })
})

test('the tree in ARCHITECTURE.md is the tree: what it names is there, and no folder is left out', () => {
  const tree = /^```\npackages\/[^`]*```/m.exec(read('ARCHITECTURE.md'))![0].split('\n').slice(1, -1)
  const named = new Map<string, string[]>([['.', []]])
  let base = '.'
  for (const line of tree) {
    const [column] = line.trim().split(/ {2,}|(?<=^(?:packages|apps)\/\S+) /)
    if (/^(?:packages|apps)\//.test(line)) named.set((base = column!), [])
    else named.get(line.startsWith(' ') ? base : '.')!.push(...column!.split(' '))
  }
  const missing = [...named].flatMap(([from, names]) => names.filter((name) => !matches(from, name)))
  const drawn = [...named].filter(([from, names]) => from !== '.' && names.length > 0)
  const leftOut = drawn.flatMap(([from, names]) => foldersOf(from).filter((folder) => !names.includes(`${folder}/`)))
  expect({ missing, leftOut }).toEqual({ missing: [], leftOut: [] })
})

const MARKDOWN = ['ARCHITECTURE.md', 'CONTRIBUTING.md', ...filesBelow('docs').filter((file) => file.endsWith('.md'))]

test.each(MARKDOWN)('every link in %s leads somewhere', (document) => {
  const text = read(document)
    .replaceAll(/^```.*?^```/gms, '')
    .replaceAll(/`[^`\n]*`/g, '')
  const targets = [...text.matchAll(/\]\((?!https?:|mailto:|#|\/)([^)\s#]+)/g)].map(([, target]) => target!)
  expect(targets.filter((target) => !existsSync(join(ROOT, dirname(document), target)))).toEqual([])
})

/** What stands in backticks, but for whole blocks of code. */
function quotesIn(text: string): string[] {
  const prose = text.replaceAll(/^```.*?^```/gms, '')
  return [...prose.matchAll(/`([^`\n]+)`/g)].map(([, quote]) => quote!)
}

function pathsIn(text: string): string[] {
  return quotesIn(text).filter(isPath)
}

/** `sessions/run-scope.ts`, `docs/decisions`, `read.ts`, `store/`; not `/embed.js`, which is an address, nor `a/b` of two words. */
function isPath(quote: string): boolean {
  return /^\.?[\w-]+(?:\/[\w.*-]+)*\/?$/.test(quote) && (/\.(?:ts|tsx|mjs|md|json)$/.test(quote) || quote.includes('/'))
}

function isThere(path: string): boolean {
  // A name alone stands in a sentence that says which folder it is in.
  if (/^[^/]+\/?$/.test(path) && files.some((file) => `/${file}`.includes(`/${path}`))) return true
  return BASES.some((base) => existsSync(join(ROOT, base, path)))
}

/** A name of the tree, which may have a star in it. */
function matches(base: string, name: string): boolean {
  if (!name.includes('*')) return existsSync(join(ROOT, base, name))
  const pattern = new RegExp(`^${name.replaceAll('.', String.raw`\.`).replaceAll('*', '.*')}$`)
  return readdirSync(join(ROOT, base)).some((entry) => pattern.test(entry))
}

function foldersOf(base: string): string[] {
  const entries = readdirSync(join(ROOT, base), { withFileTypes: true })
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
}

function isWord(name: string): boolean {
  return words.has(name) || name.split('-').every((part) => words.has(part))
}

function wordsOf(sources: string[]): Set<string> {
  return new Set(['package.json', ...sources].flatMap((file) => read(file).match(/[\w$]+/g) ?? []))
}

function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8')
}

/** Text files below a folder, relative to the root. */
function filesBelow(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return /^(?:node_modules|dist)$/.test(entry.name) ? [] : filesBelow(path)
    return entry.isFile() && /\.(?:tsx?|mjs|js|json|css|md|html|py)$/.test(entry.name) ? [relative('.', path)] : []
  })
}
