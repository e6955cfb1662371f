import type { OtherWord } from './other-words.ts'
import type { QueryTerm } from './query-terms.ts'
import { isPair } from './terms.ts'

/** A term of a question; `rarity`: how much it tells passages apart in the space that is searched. */
export type WeighedTerm = Omit<QueryTerm, 'others'> & {
  rarity: number
  /** The same of whatever stands for it there. */
  inAll: number
  /** Those that stand in the space, each worth at most as much as the term itself. */
  others: readonly { terms: OtherWord; rarity: number }[]
}

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
const ENOUGH = 1.5
const CHANCE = 0.65

/** What another word is worth in place of the one that was asked for. */
export const OTHER_WORD = 0.85

/** BM25's measure of rarity, smoothed for small spaces. */
export function weigh(terms: readonly QueryTerm[], { passages, withTerm }: Statistics): WeighedTerm[] {
  const all = passages + BACKGROUND
  // Nobody knows how rare what is nowhere would be; as rare as what is in one place.
  const rarityOf = (n: number) => Math.log(1 + (all - Math.max(1, n) + 0.5) / (Math.max(1, n) + 0.5))
  const holdersOf = (term: string) => withTerm.get(term) ?? 0
  return terms.flatMap(({ others, ...asked }) => {
    const n = holdersOf(asked.term)
    if (n === 0 && asked.word === null) return []
    const known = others
      .map((other) => ({ terms: other, n: Math.min(...other.map(holdersOf)) }))
      .filter((other) => other.n > 0)
    const rarity = rarityOf(n) * (n === 0 && isPair(asked.term) ? UNKNOWN_PAIR : 1)
    // What goes by other names here is as rare as the most common of them.
    const inAll = n === 0 && known.length > 0 ? rarityOf(Math.max(...known.map((other) => other.n))) : rarity
    const rare = known.map((other) => ({ terms: other.terms, rarity: Math.min(inAll, rarityOf(other.n)) }))
    return [{ ...asked, rarity, inAll, others: rare }]
  })
}

/**
 * [S15.3] How much of what was asked for a passage has, 0 to 1: the weight of the terms that it has, by that of all. Other words
 * for them only add to that: a passage scores no less than by the words of the question alone.
 */
export function scoreOf(asked: readonly WeighedTerm[], passage: ScoredPassage): number {
  const inHead = new Set(passage.head)
  const counts = new Map<string, number>()
  for (const term of passage.body) counts.set(term, (counts.get(term) ?? 0) + 1)
  const has = (term: string) => saturated((counts.get(term) ?? 0) + (inHead.has(term) ? 2 : 0))
  const { isOneEnough = false } = passage
  const literal = shareOf(
    asked.map((term) => ({ ...term, inAll: term.rarity, has: has(term.term) * term.rarity, isOwn: true })),
    isOneEnough,
  )
  if (!asked.some(({ others }) => others.length > 0)) return literal
  const free = asked.map(({ term, others, ...of }) => {
    const own = has(term) * of.inAll
    const other = others.map(({ terms, rarity }) => Math.min(...terms.map(has)) * rarity * OTHER_WORD)
    return { ...of, has: Math.max(own, ...other), isOwn: own > 0 }
  })
  return Math.max(literal, shareOf(free, isOneEnough))
}

type Held = Pick<WeighedTerm, 'weight' | 'word' | 'inAll'> & { has: number; isOwn: boolean }

function shareOf(asked: readonly Held[], isOneEnough: boolean): number {
  const words = new Map<number, number>()
  let whole = 0
  let found = 0
  for (const { weight, word, inAll, has, isOwn } of asked) {
    whole += weight * inAll
    found += weight * has
    if (has > 0 && word !== null) words.set(word, Math.max(words.get(word) ?? 0, weight * (isOwn ? 1 : OTHER_WORD)))
  }
  if (whole === 0) return 0
  const said = [...words.values()].reduce((sum, weight) => sum + weight, 0)
  const isChance = !isOneEnough && said < ENOUGH && asked.some(({ word }) => word !== null && !words.has(word))
  return Math.min(1, found / whole) * (isChance ? CHANCE : 1)
}

/** The first occurrence counts most. */
function saturated(times: number): number {
  return times === 0 ? 0 : FIRST + (1 - FIRST) * (1 - 1 / times)
}
