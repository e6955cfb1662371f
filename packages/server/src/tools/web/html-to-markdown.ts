import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'

export type Page = { title: string; markdown: string }

type Extracted = { selector: string; textContent: string }
type Converted = { markdown: string; extracted?: Extracted[] }
/** `origin` is what relative links are relative to. */
type Convert = (html: string, origin: string) => Converted

/** Around the text, not of it. Forms stay: whole sites stand inside one. */
const EXCLUDED = [
  ...['title', 'script', 'style', 'noscript', 'template', 'svg', 'iframe', 'object', 'embed'],
  ...['nav', 'footer', 'aside', 'button', 'input', 'select', 'textarea'],
]
const CLEAN = { emptyLinks: true, emptyLinkText: true, emptyImages: true, selfLinkHeadings: true, blankLines: true }

/** The readable part of a page, links made absolute where it has an address. */
export async function htmlToMarkdown(
  html: string,
  url: URL | undefined,
  load: () => Promise<Convert> = loadConvert,
): Promise<Page> {
  const convert = await load()
  const { markdown, extracted = [] } = convert(html, url?.href ?? '')
  const title = extracted.find(({ selector }) => selector === 'title')?.textContent ?? ''
  return { title: title.replace(/\s+/g, ' ').trim(), markdown: markdown.trim() }
}

let loaded: Promise<Convert> | undefined

/** Loaded at the first page: the native one where this platform has it, else the same in WebAssembly. */
function loadConvert(): Promise<Convert> {
  return (loaded ??= loadNative().catch(loadWasm))
}

async function loadNative(): Promise<Convert> {
  const { htmlToMarkdown: convert } = await import('mdream')
  return (html, origin) => {
    const extracted: Extracted[] = []
    const extraction = { title: (element: Extracted) => void extracted.push(element) }
    return { markdown: convert(html, { origin, clean: CLEAN, filter: { exclude: EXCLUDED }, extraction }), extracted }
  }
}

/** Exported for its test. */
export async function loadWasm(): Promise<Convert> {
  const { initSync, htmlToMarkdownResult } = await import('mdream/wasm')
  const file = createRequire(import.meta.url).resolve('mdream/wasm/mdream_edge_bg.wasm')
  initSync({ module: await readFile(file) })
  const plugins = { filter: { exclude: EXCLUDED }, extraction: { selectors: ['title'] } }
  return (html, origin) => htmlToMarkdownResult(html, { origin, clean: CLEAN, plugins }) as Converted
}
