import type { DocumentText } from './document-limits.ts'
import { marksOf } from './markdown-marks.ts'

const MAX_FRONT_MATTER = 16 * 1024
const MAX_TITLE = 500
const FRONT_MATTER = /^---[ \t]*\n(?:([\s\S]*?)\n)?(?:---|\.\.\.)[ \t]*(?:\n|$)/

/** Front matter gives the title and is no part of the text; without a title there, the text's first heading is it. */
export async function readMarkdown(markdown: string): Promise<DocumentText> {
  const found = FRONT_MATTER.exec(markdown.slice(0, MAX_FRONT_MATTER))
  const yaml = found ? await parseYaml(found[1] ?? '') : undefined
  // Two lines that rule something off: not every text that begins with one has front matter.
  const text = found && yaml !== undefined ? markdown.slice(found[0].length) : markdown
  return { title: titleIn(yaml) ?? firstHeading(text), text: text.trim() }
}

/** A heading that stands before everything else, or that all others are below. */
export function firstHeading(text: string): string | null {
  const [first] = marksOf(text).headings
  return first && first.level === 1 ? asTitle(first.title) : null
}

/** `null` for nothing that could be one. */
export function asTitle(value: unknown): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null
  return String(value).replace(/\s+/g, ' ').trim().slice(0, MAX_TITLE).toWellFormed() || null
}

function titleIn(yaml: object | null | undefined): string | null {
  return yaml && 'title' in yaml ? asTitle(yaml.title) : null
}

/** `undefined` for what is no front matter: nothing but a list of names and values is. */
async function parseYaml(yaml: string): Promise<object | null | undefined> {
  const { parse } = await import('yaml')
  try {
    // Aliases could make gigabytes of a few lines.
    const value: unknown = parse(yaml, { maxAliasCount: 0, logLevel: 'error' })
    return typeof value === 'object' && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}
