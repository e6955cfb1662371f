import type { Engine } from '../store/engine.ts'
import type { Work } from '../store/work.ts'
import { holders, loadPassages, statistics, type StoredPassage } from './passage-index.ts'
import { scoreOf, weigh, type WeighedTerm } from './score.ts'
import { queryTerms, termsOf } from './terms.ts'

export type Search = {
  /** Nothing outside these spaces is looked at. */
  spaces: readonly string[]
  query: string
  limit: number
  /** [S15.3] What scores less is not found. */
  minScore: number
  /** Of the refs named, those that count now; absent: all do. */
  only?: ((refs: readonly string[]) => Work<ReadonlySet<string>>) | undefined
}

export type FoundPassage = StoredPassage & { score: number }

/** [S15.3] */
export const MIN_SCORE = 0.3

/** Entries of the index that one search reads: rare terms first, common ones as long as there is room. */
const ENTRIES = 8_000
/** Passages that are read and scored whole. */
const CANDIDATES = 100

/** What a question finds by its words, best first. A question that nothing is about finds nothing. */
export async function findByWords(engine: Engine, search: Search): Promise<FoundPassage[]> {
  const { spaces, query, limit, minScore } = search
  const terms = queryTerms(query)
  if (terms.length === 0 || spaces.length === 0) return []
  return engine.read(function* () {
    const counted = yield* statistics(
      engine,
      spaces,
      terms.map(({ term }) => term),
    )
    const asked = weigh(terms, counted)
    const told = selective(asked, counted.withTerm)
    const held = yield* holders(
      engine,
      spaces,
      told.map(({ term }) => term),
    )
    const loaded = yield* loadPassages(engine, best(told, held))
    const counting = search.only && (yield* search.only([...new Set(loaded.map(({ ref }) => ref))]))
    return loaded
      .filter(({ space, ref }) => spaces.includes(space) && (counting?.has(ref) ?? true))
      .map((passage) => ({ ...passage, score: scored(asked, passage) }))
      .filter(({ score }) => score >= minScore)
      .sort((a, b) => b.score - a.score || b.id - a.id)
      .slice(0, limit)
  })
}

export function scored(asked: readonly WeighedTerm[], { head, text }: Pick<StoredPassage, 'head' | 'text'>): number {
  return scoreOf(asked, { head: termsOf(head), body: termsOf(text) })
}

/** The terms whose holders are looked up: the rare ones tell passages apart, the common ones are in all of them anyway. */
function selective(asked: readonly WeighedTerm[], withTerm: ReadonlyMap<string, number>): WeighedTerm[] {
  const known = asked.filter(({ term }) => (withTerm.get(term) ?? 0) > 0)
  known.sort((a, b) => withTerm.get(a.term)! - withTerm.get(b.term)!)
  let entries = 0
  return known.filter(({ term }, place) => (entries += withTerm.get(term)!) <= ENTRIES || place === 0)
}

/** The passages that hold the most of what was asked for. */
function best(told: readonly WeighedTerm[], held: readonly number[][]): number[] {
  const sums = new Map<number, number>()
  for (const [place, ids] of held.entries())
    for (const id of ids) sums.set(id, (sums.get(id) ?? 0) + told[place]!.weight)
  return [...sums]
    .sort(([a, x], [b, y]) => y - x || b - a)
    .slice(0, CANDIDATES)
    .map(([id]) => id)
}
