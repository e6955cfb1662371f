import { RANK, rankAt } from './borders.ts'
import { graphemeStart, skipSpace, trimmedEnd } from './graphemes.ts'
import type { Span } from './markdown-marks.ts'
import { Blocks, Items } from './places.ts'
import { type Section, sectionsOf } from './sections.ts'

/** `text` is what lies from `start` to `end` in the text it was cut from; `headings` are those above it, outermost first. */
export type Passage = { position: number; start: number; end: number; headings: string[]; text: string }

/** In characters (UTF-16 code units, as `length` counts). */
export type PassageLimits = { length: number; overlap: number }

const DEFAULT_LIMITS: PassageLimits = { length: 500, overlap: 50 }
const MIN_LENGTH = 16
/** How full a passage must be to end at a border of this rank when there are lesser ones further on. */
const FILLED = [
  { rank: RANK.paragraph, share: 0.3 },
  { rank: RANK.sentence, share: 0.4 },
  { rank: RANK.clause, share: 0.5 },
  { rank: RANK.word, share: 0 },
]

/**
 * [S15.4] Cut along headings, then paragraphs, sentences, clauses and words. No passage crosses a heading of level 1 to 3;
 * a table or code block stays whole where it fits. What no passage has is white space and headings. Takes as long as the
 * text is, a little for each passage. `overlap` may be half of `length` at most.
 */
export function* passagesIn(text: string, limits: PassageLimits = DEFAULT_LIMITS): Generator<Passage> {
  if (limits.length < MIN_LENGTH || limits.overlap < 0 || limits.overlap * 2 > limits.length)
    throw new RangeError(`No passages of ${limits.length} characters with ${limits.overlap} of overlap.`)
  let position = 0
  for (const section of sectionsOf(text))
    for (const { start, end } of cutSection(text, section, limits)) {
      yield { position, start, end, headings: section.headingsAt(start), text: text.slice(start, end) }
      position++
    }
}

/** All at once. */
export function cutIntoPassages(text: string, limits?: PassageLimits): Passage[] {
  return [...passagesIn(text, limits)]
}

function cutSection(text: string, section: Section, limits: PassageLimits): Span[] {
  const end = trimmedEnd(text, section.start, section.end)
  /** What is new begins at `from`, the passage with its overlap at `start`. */
  let from = skipSpace(text, section.start, end)
  let start = from
  if (end - start <= limits.length) return [{ start, end }]
  const blocks = new Blocks(section.blocks, limits.length)
  const items = new Items(section.items)
  const spans: Span[] = []
  while (end - start > limits.length) {
    const cut = cutBetween({ text, start, from, blocks, items, limits })
    spans.push({ start, end: trimmedEnd(text, from, cut) })
    from = skipSpace(text, cut, end)
    start = overlapStart({ text, start, from, blocks, items, limits })
  }
  return [...spans, { start, end }]
}

type Place = { text: string; start: number; from: number; blocks: Blocks; items: Items; limits: PassageLimits }

/** Where a passage ends that cannot have all of the rest: behind `from`, at most a passage's length behind `start`. */
function cutBetween({ text, start, from, blocks, items, limits: { length } }: Place): number {
  const limit = start + length
  const cutBlock = blocks.around(limit)
  // It goes into the next passage as a whole, however little this one has.
  if (cutBlock && cutBlock.start > from) return cutBlock.start
  const latest = [0, 0, 0, 0, 0]
  for (let at = from + 1; at <= limit;) {
    const free = Math.min(limit, blocks.freeUntil(at))
    for (; at <= free; at++) {
      const rank = rankAt(text, at, items)
      for (let lesser = rank; lesser > RANK.none; lesser--) latest[lesser] = at
    }
    at = blocks.around(at)?.end ?? at
  }
  const border = FILLED.map(({ rank, share }) => ({ at: latest[rank]!, least: start + share * length }))
  const wanted = border.find(({ at, least }) => at > from && at >= least)?.at ?? limit
  const cut = graphemeStart(text, from, wanted)
  if (cut > from) return cut
  // One character that is longer than a passage: at least no half of a pair.
  return isHighSurrogate(text.charCodeAt(limit - 1)) ? limit - 1 : limit
}

/** Where the next passage begins, when what is new in it begins at `from` and the one before began at `start`. */
function overlapStart({ text, start, from, blocks, items, limits: { length, overlap } }: Place): number {
  const block = blocks.from(from)
  // Never so early that a block no longer fits.
  let low = Math.max(from - overlap, start + 1, block ? block.end - length : 0)
  low = blocks.around(low)?.end ?? low
  let word: number | undefined
  for (let at = low; at < from; at++) {
    const rank = blocks.around(at) ? RANK.none : rankAt(text, at, items)
    if (rank >= RANK.clause) return beginAt(text, at, { start, from })
    if (rank === RANK.word) word ??= at
  }
  return beginAt(text, word ?? low, { start, from })
}

function beginAt(text: string, at: number, { start, from }: Pick<Place, 'start' | 'from'>): number {
  if (at >= from) return from
  const begin = skipSpace(text, graphemeStart(text, start, at), from)
  return begin > start ? begin : from
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff
}
