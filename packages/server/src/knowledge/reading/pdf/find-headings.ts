import type { OutlineEntry } from './outline.ts'
import type { Line } from './page-lines.ts'

/** By how much text is larger that stands out. */
const LARGER = 1.12
const MAX_LENGTH = 120
const MAX_LEVELS = 4
/** More of it than this is no heading, but a large text. */
const MAX_SHARE = 0.3

/** Which lines are headings, and how deep: as the document's own outline has it, else by the size of their letters. */
export function findHeadings(lines: readonly Line[], outline: readonly OutlineEntry[]): Map<Line, number> {
  const listed = listedHeadings(lines, outline)
  return listed.size > 0 ? listed : largeLines(lines)
}

function listedHeadings(lines: readonly Line[], outline: readonly OutlineEntry[]): Map<Line, number> {
  const places = new Map<string, Line>()
  for (const line of lines) {
    const place = placeOf(line.page, line.text)
    if (line.text.length <= MAX_LENGTH && !places.has(place)) places.set(place, line)
  }
  const found = outline.map(({ title, page, level }) => [places.get(placeOf(page, title)), level] as const)
  return new Map(found.filter((entry): entry is [Line, number] => entry[0] !== undefined))
}

function placeOf(page: number, text: string): string {
  return `${page} ${text.replace(/\s+/g, '').toLowerCase()}`
}

function largeLines(lines: readonly Line[]): Map<Line, number> {
  const body = bodySize(lines)
  const large = lines.filter(
    ({ size, text }) => size >= body * LARGER && text.length <= MAX_LENGTH && /\p{L}/u.test(text),
  )
  if (charactersOf(large) > charactersOf(lines) * MAX_SHARE) return new Map()
  const sizes = [...new Set(large.map(({ size }) => size))].sort((a, b) => b - a)
  // Sizes that nobody tells apart are one.
  const steps = sizes.filter((size, index) => index === 0 || sizes[index - 1]! / size > 1.05)
  return new Map(
    large.map((line) => [line, Math.min(MAX_LEVELS, steps.findLastIndex((step) => step >= line.size) + 1)]),
  )
}

/** The size that most characters have. */
function bodySize(lines: readonly Line[]): number {
  const characters = new Map<number, number>()
  for (const { size, text } of lines) characters.set(size, (characters.get(size) ?? 0) + text.length)
  return [...characters].reduce((most, entry) => (entry[1] > most[1] ? entry : most), [0, 0])[0]
}

function charactersOf(lines: readonly Line[]): number {
  return lines.reduce((sum, { text }) => sum + text.length, 0)
}
