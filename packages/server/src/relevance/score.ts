import type { QueryTerm } from './terms.ts'

/** A term of a question; `rarity`: how much it tells passages apart in the space that is searched. */
export type WeighedTerm = QueryTerm & { rarity: number }

/** How often terms stand in a space: in how many passages each, of how many. */
export type Statistics = { passages: number; withTerm: ReadonlyMap<string, number> }

/** A passage as it is scored: the terms of what stands above it (title, headings) and of its text. */
export type ScoredPassage = {
  head: readonly string[]
  body: readonly string[]
  /** It is no chance find, however little of the question it has. */
  isOneEnough?: boolean
}

/** A few passages tell little about how rare a word is: as if there were this many more that lack it. */
const BACKGROUND = 60
/** How much of a term's weight its first occurrence is worth; further ones add the rest. */
const FIRST = 0.66
/** A pair of characters that stands nowhere is often no word: it says less about what is missing than a whole word does. */
const UNKNOWN_PAIR = 0.4

/** One word of several may stand anywhere, and a common one beside it says no more: what rests on so little counts for less. */
const ENOUGH = 1.4
const CHANCE = 0.65

/** BM25's measure of rarity, smoothed for small spaces. */
export function weigh(terms: readonly QueryTerm[], { passages, withTerm }: Statistics): WeighedTerm[] {
  const all = passages + BACKGROUND
  return terms.flatMap(({ term, weight, word }) => {
    const n = withTerm.get(term) ?? 0
    if (n === 0 && word === null) return []
    // Nobody knows how rare what is nowhere would be; as rare as what is in one place.
    const rarity = Math.log(1 + (all - Math.max(1, n) + 0.5) / (Math.max(1, n) + 0.5))
    return [{ term, word, weight, rarity: rarity * (n === 0 && isPair(term) ? UNKNOWN_PAIR : 1) }]
  })
}

function isPair(term: string): boolean {
  return /^\p{Script=Han}|^\p{Script=Hiragana}|^\p{Script=Katakana}|^\p{Script=Hangul}/u.test(term)
}

/** [S15.3] How much of what was asked for a passage has, 0 to 1: the weight of the terms that it has, by that of all. */
export function scoreOf(asked: readonly WeighedTerm[], { head, body, isOneEnough = false }: ScoredPassage): number {
  const inHead = new Set(head)
  const counts = new Map<string, number>()
  for (const term of body) counts.set(term, (counts.get(term) ?? 0) + 1)
  const words = new Map<number, number>()
  let whole = 0
  let found = 0
  for (const { term, weight, rarity, word } of asked) {
    whole += weight * rarity
    const times = (counts.get(term) ?? 0) + (inHead.has(term) ? 2 : 0)
    if (times === 0) continue
    found += weight * rarity * (FIRST + (1 - FIRST) * (1 - 1 / times))
    if (word !== null) words.set(word, weight)
  }
  if (whole === 0) return 0
  const said = [...words.values()].reduce((sum, weight) => sum + weight, 0)
  const isChance = !isOneEnough && said < ENOUGH && asked.some(({ word }) => word !== null && !words.has(word))
  return Math.min(1, found / whole) * (isChance ? CHANCE : 1)
}
