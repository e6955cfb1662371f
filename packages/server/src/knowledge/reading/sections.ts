import { skipSpace } from './graphemes.ts'
import { type Heading, marksOf, type Span } from './markdown-marks.ts'

/** What stands between two headings of level 1 to 3. */
export type Section = Span & {
  /** Tables and code blocks inside it, in order. */
  blocks: Span[]
  /** Where its list items, table rows, lines of code and lesser headings begin, in order. */
  items: number[]
  /** The headings above a place in it, outermost first. */
  headingsAt(at: number): string[]
}

/** No passage crosses these. */
const DEEPEST_BORDER = 3

/** A text along its headings, with nothing left out but headings and white space. */
export function sectionsOf(text: string): Section[] {
  const { headings, blocks, items } = marksOf(text)
  const borders = headings.filter(({ level }) => level <= DEEPEST_BORDER)
  const lesser = headings.filter(({ level }) => level > DEEPEST_BORDER)
  const takers = [taker(blocks, (block) => block.start), taker(items, (item) => item)] as const
  const takeLesser = taker(lesser, (heading) => heading.start)
  const path: Heading[] = []
  const sections: Section[] = []
  for (let index = -1; index < borders.length; index++) {
    const [heading, next] = [borders[index], borders[index + 1]]
    if (heading) descend(path, heading)
    const end = next?.start ?? text.length
    const inside = takeLesser(end)
    const own = takers[1](end)
    const section = {
      start: heading?.end ?? 0,
      end,
      blocks: takers[0](end),
      items: inside.length > 0 ? [...own, ...inside.map(({ start }) => start)].sort((a, b) => a - b) : own,
      headingsAt: headingsAt(path, inside),
    }
    if (skipSpace(text, section.start, end) < end) sections.push(section)
    else if (heading && (next?.level ?? 0) <= heading.level) sections.push(alone(heading, path))
  }
  return sections
}

/** A heading with nothing below it is all that is said there. */
function alone({ start, end }: Heading, path: readonly Heading[]): Section {
  return { start, end, blocks: [], items: [], headingsAt: headingsAt(path.slice(0, -1), []) }
}

function headingsAt(path: readonly Heading[], lesser: readonly Heading[]): (at: number) => string[] {
  const titles = path.map(({ title }) => title)
  if (lesser.length === 0) return () => titles
  const open = [...path]
  let passed = 0
  // Asked in the order of the text, but for an overlap: what was above the place before is above this one, or near it.
  return (at) => {
    for (; passed < lesser.length && lesser[passed]!.start < at; passed++) descend(open, lesser[passed]!)
    return open.map(({ title }) => title)
  }
}

/** From one heading to the next: what is not above it any more goes. */
function descend(path: Heading[], heading: Heading): void {
  while ((path.at(-1)?.level ?? 0) >= heading.level) path.pop()
  path.push(heading)
}

/** Hands out what of a sorted list lies before a place and was not handed out before. */
function taker<T>(list: readonly T[], placeOf: (entry: T) => number): (end: number) => T[] {
  let next = 0
  return (end) => {
    const first = next
    while (next < list.length && placeOf(list[next]!) < end) next++
    return list.slice(first, next)
  }
}
