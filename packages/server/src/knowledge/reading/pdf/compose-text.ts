import { isIdeograph } from '../character-classes.ts'
import { type Line, SOFT_HYPHEN } from './page-lines.ts'

/** A line that ends this many letters before its neighbours do was ended on purpose. */
const RAGGED = 4
const NEIGHBOURS = 3
/** In units of the usual distance of two lines. */
const PARAGRAPH_GAP = 1.35
const ITEM =
  /^(?:[-*+•·◦▪●○]|\(?\d{1,3}[.)、）]|[（(]?[一二三四五六七八九十]{1,3}[、）)]|第[\d一二三四五六七八九十百]+[章节条])\s*\S/
/** What would be Markdown where it is none. */
const LOOKS_LIKE_MARK = /^(?=#{1,6}(?:\s|$)|`{3}|~{3}|={2,}$|-{3,}$)/

/** Lines of pages as paragraphs with Markdown headings. A paragraph goes on over the end of a page. */
export function composeText(pages: readonly (readonly Line[])[], headings: ReadonlyMap<Line, number>) {
  const lines = pages.flat()
  const pitch = usualPitch(lines)
  const starts: number[] = []
  // Parts, and a count: a text that grows line by line would be copied for every look at its end.
  const parts: string[] = []
  let length = 0
  const add = (part: string) => {
    parts.push(part)
    length += part.length
  }
  for (const [index, line] of lines.entries()) {
    const before = lines[index - 1]
    const level = headings.get(line)
    const joint = before ? jointOf({ before, line, lines, index, headings, pitch }) : ''
    add(joint)
    while (starts.length <= line.page) starts.push(length)
    const isNew = joint.startsWith('\n') || !before
    if (level && isNew) add(`${'#'.repeat(level)} `)
    const text = isNew && !level ? line.text.replace(LOOKS_LIKE_MARK, '\\') : line.text
    // A word that goes on in the next line loses its hyphen there.
    const next = text.endsWith(SOFT_HYPHEN) ? lines[index + 1] : undefined
    const goesOn = next && jointOf({ before: line, line: next, lines, index: index + 1, headings, pitch }) === ''
    add(goesOn ? text.slice(0, -1) : text)
  }
  while (starts.length < pages.length) starts.push(length)
  return { text: parts.join('').replaceAll(SOFT_HYPHEN, '-'), pages: starts }
}

type Place = {
  before: Line
  line: Line
  lines: readonly Line[]
  index: number
  headings: ReadonlyMap<Line, number>
  pitch: number
}

/** What stands between two lines: nothing, a space, a line's end or a paragraph's. */
function jointOf({ before, line, lines, index, headings, pitch }: Place): string {
  const [level, levelBefore] = [headings.get(line), headings.get(before)]
  const distance = before.last - line.first
  const isNextLine =
    before.page === line.page && distance > 0 && distance < pitch * PARAGRAPH_GAP * (line.size / before.size)
  if (level || levelBefore) {
    // A heading of two lines is one.
    const isOne = level === levelBefore && line.size === before.size && isClose(before, line)
    return isOne ? spaceBetween(before.text, line.text) : '\n\n'
  }
  if (before.size !== line.size && Math.abs(before.size - line.size) > before.size * 0.1) return '\n\n'
  const isFull = reachesEdge(lines, index - 1)
  if (ITEM.test(line.text)) return isNextLine ? '\n' : '\n\n'
  const isIndented = line.left - before.left > line.size * 1.2 && !ITEM.test(before.text)
  if (before.page !== line.page)
    return isFull && !isIndented && !endsSentence(before.text) ? spaceBetween(before.text, line.text) : '\n\n'
  if (!isNextLine && distance > 0) return '\n\n'
  if (isIndented && distance > 0) return '\n\n'
  return isFull ? spaceBetween(before.text, line.text) : '\n'
}

function isClose(before: Line, line: Line): boolean {
  const distance = before.last - line.first
  return before.page === line.page && distance > 0 && distance < line.size * 2
}

function endsSentence(text: string): boolean {
  return /[。！？.!?：:][”’」』）)"']*$/.test(text)
}

/** Does a line go on until where its neighbours end? */
function reachesEdge(lines: readonly Line[], index: number): boolean {
  const line = lines[index]!
  const around = lines.slice(Math.max(0, index - NEIGHBOURS), index + NEIGHBOURS + 1)
  const column = around.filter(({ left, page }) => page === line.page && Math.abs(left - line.left) < line.size * 4)
  return line.right >= Math.max(...column.map(({ right }) => right)) - line.size * RAGGED
}

function spaceBetween(before: string, after: string): string {
  if (before.endsWith(SOFT_HYPHEN)) return ''
  return isWide(before.charCodeAt(before.length - 1)) && isWide(after.charCodeAt(0)) ? '' : ' '
}

/** Chinese and its punctuation stand without spaces. */
function isWide(code: number): boolean {
  return isIdeograph(code) || (code >= 0x3000 && code <= 0x303f) || (code >= 0xff00 && code <= 0xffef)
}

/** The distance that most lines have to the next one. */
function usualPitch(lines: readonly Line[]): number {
  const counts = new Map<number, number>()
  for (const [index, line] of lines.entries()) {
    const next = lines[index + 1]
    const distance = next && next.page === line.page ? Math.round((line.last - next.first) * 2) / 2 : 0
    if (distance > 0) counts.set(distance, (counts.get(distance) ?? 0) + 1)
  }
  return [...counts].reduce((most, entry) => (entry[1] > most[1] ? entry : most), [0, 0])[0]
}
