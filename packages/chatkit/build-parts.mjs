// What pages get at first use: highlighting, formulas, charts and diagrams, each one file with everything in it. And the
// script of the server's page for iframes, which is loaded beside the chat.
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { buildForPages } from './build-for-pages.mjs'
import { readStyles } from './read-styles.mjs'

const folder = import.meta.dirname
const bundle = join(folder, 'bundle')
/** Name of the file, and what it is made of. `embed-parts.ts` asks for these, for `mermaid` and for `math-font`. */
const PARTS = {
  highlight: 'src/lazy/highlight.ts',
  math: 'src/lazy/render-math.ts',
  charts: 'src/lazy/draw-chart.ts',
  frame: 'src/element/frame.ts',
}

/** Makes those that are older than their sources and the list of packages. */
export async function buildParts() {
  await buildMathFont()
  await buildStyles()
  const filesIn = async (name) => (await readdir(join(folder, name))).map((file) => join(folder, name, file))
  const frame = ['src/element/frame.ts', 'src/element/frame-host.ts', '../protocol/src/bridge-envelope.ts']
  const sources = [...(await filesIn('src/lazy')), ...frame.map((file) => join(folder, file))]
  const newest = Math.max(
    ...(await Promise.all([...sources, join(folder, 'package.json'), import.meta.filename].map(changedAt))),
  )
  for (const [name, file] of Object.entries(PARTS))
    if ((await changedAt(join(bundle, `${name}.js`))) < newest)
      await buildForPages({ name, entry: file, output: { format: 'es' } })
}

/**
 * The style sheet for pages that have the kit in their own document. `rem` is the page's there: one that says
 * `html { font-size: 62.5% }` would shrink the chat. Registered as a length, `--ck-rem` is inherited as it was computed.
 */
async function buildStyles() {
  const sheet = await readStyles(join(folder, 'src/react/chatkit.css'))
  const own = sheet.replace(/(-?\d*\.?\d+)rem\b/g, 'calc($1 * var(--ck-rem))')
  await mkdir(bundle, { recursive: true })
  await writeFile(
    join(bundle, 'chatkit.css'),
    `/* Made by build-parts.mjs from src/react/chatkit.css. */
@property --ck-rem { syntax: '<length>'; inherits: true; initial-value: 16px; }
${own.trim()}
@layer chatkit {
  .ck-root, .ck-md:not(.ck-root .ck-md) { --ck-rem: 16px; }
  /* Browsers that know this also know @property; in others 1em would be another size in every element. */
  @supports (transition-behavior: allow-discrete) { .ck-root { --ck-rem: 1em; } }
}
`,
  )
}

/**
 * A font that knows how brackets, roots and sums grow, with what KaTeX can ask of it: `@parley/chatkit/math-font`. As text:
 * a page's policy may refuse font files, and the embed script's pages have no place for one.
 */
async function buildMathFont() {
  const { resolve } = createRequire(import.meta.url)
  const file = resolve('@fontsource/stix-two-math/files/stix-two-math-latin-400-normal.woff2')
  const katex = join(resolve('katex/package.json'), '../dist/katex.mjs')
  const made = join(bundle, 'math-font.js')
  const newest = Math.max(...(await Promise.all([file, katex, import.meta.filename].map(changedAt))))
  if ((await changedAt(made)) > newest) return
  const { default: subset } = await import('subset-font')
  const text = charactersOf(await readFile(katex, 'utf8'))
  const font = await subset(await readFile(file), text, { targetFormat: 'woff2' })
  const license = await readFile(join(file, '../../LICENSE'), 'utf8')
  await mkdir(bundle, { recursive: true })
  await writeFile(
    made,
    `// Made by build-parts.mjs: a part of the font STIX Two Math.\n/*! ${license.trim()} */\nexport const font = ${JSON.stringify(font.toString('base64'))}\n`,
  )
}

/** Letters in the styles that formulas have, from the block of mathematical letters, and all Greek ones. */
const LETTERS = [
  ...[
    [0x20, 0x7e],
    [0x391, 0x3d6],
  ],
  ...[
    [0x1d400, 0x1d4cf],
    [0x1d504, 0x1d56b],
    [0x1d6a4, 0x1d71b],
    [0x1d7ce, 0x1d7e1],
  ],
]

/** Signs that KaTeX knows stand in its source. */
function charactersOf(source) {
  const signs = [...source.matchAll(/\\u([\da-f]{4})/gi)].map(([, code]) => Number.parseInt(code, 16))
  const written = [...source].map((character) => character.codePointAt(0)).filter((code) => code > 0x7f)
  const letters = LETTERS.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, i) => first + i))
  // Half of a pair is no character.
  const codes = new Set([...letters, ...signs, ...written].filter((code) => code < 0xd800 || code > 0xdfff))
  return String.fromCodePoint(...codes)
}

const changedAt = (file) =>
  stat(file).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  )
