/** What README.md says without a command to type: each feature, promise and figure, against where it comes from. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { POINTS } from '../packages/server/test/crash/checks.ts'

const ROOT = join(import.meta.dirname, '..')
const READMES = ['README.md', 'README.zh-CN.md']
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')

/** Third, fourth and fifth table, in both languages: what it does, the promises, the figures. */
const [FEATURES, PROMISES, FIGURES] = [0, 1, 2]

describe.each(READMES)('%s', (file) => {
  const text = read(file)
  const tables = tablesIn(text)

  test('each feature names a test, and the test says so', () => {
    const shown = tables[FEATURES]!.map(([feature, , proof]) => ({ feature, ...linkIn(proof!) }))
    expect(shown.length).toBeGreaterThan(25)
    expect(shown.filter(({ title, target }) => !titlesIn(target).some((test) => test.includes(title)))).toEqual([])
  })

  test('each promise names a command that runs tests which are there', () => {
    const commands = tables[PROMISES]!.map(([, command]) => /^`(.+)`$/.exec(command!)![1]!)
    expect(commands.filter((command) => testsOf(command).length === 0)).toEqual([])
  })

  test('each promise of the guide is among them, with its command', () => {
    const [guide] = tablesIn(read(`docs/guide/${file.includes('zh') ? 'zh' : 'en'}/guarantees.md`)).slice(-1)
    const here = tables[PROMISES]!.map(([, command]) => command)
    // The guide has one more: SQLite alone, which `npm run crash` does too.
    const others = guide!.map(([command]) => command!).filter((command) => !command.includes('crash/sqlite'))
    expect(others.filter((command) => !here.includes(command))).toEqual([])
  })

  test('servers are killed at as many points as it says', () => {
    const [[, , what]] = tables[PROMISES] as [string[]]
    expect(numbersIn(what!)).toEqual([String(POINTS.length)])
  })

  test('each figure was printed where it says', () => {
    const wrong = tables[FIGURES]!.flatMap(([what, figure, beside, measured]) => {
      const section = sectionAt(linkIn(measured!).target)
      return numbersIn(`${what} ${figure} ${beside}`).filter((number) => !numbersIn(section).includes(number))
    })
    expect(wrong).toEqual([])
  })

  test('the first start brings as much as the last walk saw', () => {
    const [, download, installed] = /(\d+) MB[^\n]*?(\d+) MB/.exec(text)!
    const walk = sectionAt('bench/results.md#2026-11-18-a-newcomers-walk')
    expect(walk).toContain(`| in npm's cache | ${download} MB |`)
    expect(walk).toContain(`| in \`node_modules\` | ${installed} MB |`)
  })

  test('every link leads somewhere', () => {
    const links = [...withoutCode(text).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(([, link]) => link!)
    expect(links.length).toBeGreaterThan(40)
    expect(links.filter((link) => !isThere(link, file))).toEqual([])
  })

  test('the page takes ten lines', () => {
    const [page] = blocksIn(text).filter(({ language }) => language === 'js')
    expect(page!.lines.filter((line) => !/^\s*(?:\/\/|$)/.test(line))).toHaveLength(10)
  })
})

test('README.zh-CN.md follows README.md: the same parts, tables, blocks, figures and links', () => {
  const [english, chinese] = READMES.map((file) => outline(read(file)))
  expect(chinese).toEqual(english)
})

test('its picture is one of the console, and light enough for a page', () => {
  const picture = join(ROOT, 'docs/screenshots/console.png')
  expect(statSync(picture).size).toBeLessThanOrEqual(200_000)
  const bytes = readFileSync(picture)
  expect({ width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }).toEqual({ width: 1440, height: 1060 })
})

/** What two languages have in common. */
function outline(text: string) {
  return {
    parts: [...withoutCode(text).matchAll(/^#+/gm)].map(([marks]) => marks),
    tables: tablesIn(text).map((rows) =>
      rows.map((cells) => cells.map((cell) => ({ numbers: numbersIn(withoutLinks(cell)), ...sameIn(cell) }))),
    ),
    blocks: blocksIn(text).map(({ language, lines }) => `${language}, ${lines.length} lines`),
    ...sameIn(withoutCode(text)),
  }
}

/** Code and places stand in every language as they are, but for words to be replaced; their order is that of the sentence. */
function sameIn(text: string) {
  const code = [...text.matchAll(/`([^`]+)`/g)].map(([, code]) => code!.replaceAll(/\s+/g, ' '))
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!.replace('/zh/', '/en/'))
  return {
    code: [...new Set(code.map((each) => each.replaceAll(REPLACED, '*')))].toSorted(),
    targets: [...new Set(targets.filter((target) => !/^#|^README/.test(target)))].toSorted(),
  }
}

/** Words in code that a reader puts their own in place of. */
const REPLACED = /\p{Script=Han}+|NAME$|(?<=^<)address|(?<=^mcp__)server(?=__tool)|(?<=__)tool$/gu

/** Rows of each table after the line below its head; the tables of features, promises and figures come first. */
function tablesIn(text: string): string[][][] {
  const tables = [...withoutCode(text).matchAll(/^\|[-| :]+\|\n((?:\|.*\n)+)/gm)]
  return tables.map(([, rows]) =>
    rows!
      .trim()
      .split('\n')
      .map((row) =>
        row
          .slice(1, -1)
          .split(/(?<!\\)\|/)
          .map((cell) => cell.trim()),
      ),
  )
}

function linkIn(cell: string) {
  const [, title, target] = /\[([^\]]+)\]\(([^)]+)\)/.exec(cell)!
  return { title: title!, target: target! }
}

/** Titles of the tests in a file, wherever a formatter put them. */
function titlesIn(path: string): string[] {
  if (!path.endsWith('.test.ts') || !existsSync(join(ROOT, path))) return []
  return [...read(path).matchAll(/(['`])((?:(?!\1)[^\\\n]|\\.){12,}?)\1,?/g)].map(([, , title]) => title!)
}

/** The test files that a command would run. */
function testsOf(command: string): string[] {
  const [, filter] = /^npm test -- (\S+)$/.exec(command) ?? []
  if (filter) return filesBelow('packages/server/test').filter((path) => path.includes(filter))
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
  const [, script] = /^npm run (\w+)(?: -- --rounds \d+)?$/.exec(command) ?? []
  const [, folder] =
    /'run', '([\w/]+)'/.exec(read(/scripts\/\w+\.mjs/.exec(scripts[script ?? ''] ?? '')?.[0] ?? 'package.json')) ?? []
  return folder ? filesBelow(folder) : []
}

function filesBelow(folder: string): string[] {
  const names = readdirSync(join(ROOT, folder), { encoding: 'utf8', recursive: true })
  return names.filter((name) => name.endsWith('.test.ts')).map((name) => `${folder}/${name}`)
}

/** A part of a document, from its heading to the next. */
function sectionAt(target: string): string {
  const [file, anchor] = target.split('#')
  const parts = read(file!).split(/^(?=## )/m)
  return parts.find((part) => anchorOf(/^## (.*)/.exec(part)?.[1] ?? '') === anchor) ?? ''
}

/** As GitHub makes it. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s-]/gu, '')
    .replaceAll(/\s/g, '-')
}

function isThere(link: string, from: string): boolean {
  const [path, anchor] = link.split('#')
  const file = path || from
  if (!existsSync(join(ROOT, file))) return false
  if (!anchor) return true
  return [...read(file).matchAll(/^#+ (.*)$/gm)].some(([, heading]) => anchorOf(heading!) === anchor)
}

/** `10 000` is one number. */
function numbersIn(text: string): string[] {
  return [...text.matchAll(/(?<![\w.])\d{1,3}(?: \d{3})+(?![\d.])|(?<![\w.])\d+(?:\.\d+)?/g)].map(([number]) => number)
}

function blocksIn(text: string) {
  return [...text.matchAll(/^```(\w+)\n([^]*?)^```/gm)].map(([, language, lines]) => ({
    language: language!,
    lines: lines!.trimEnd().split('\n'),
  }))
}

function withoutCode(text: string): string {
  return text.replaceAll(/^```[^]*?^```/gm, '')
}

function withoutLinks(text: string): string {
  return text.replaceAll(/\]\([^)]*\)/g, ']').replaceAll(/`[^`\n]+`/g, '')
}
