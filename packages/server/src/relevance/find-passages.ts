import type { Engine } from '../store/engine.ts'
import type { Work } from '../store/work.ts'
import type { Embedder } from './embedder.ts'
import { holders, loadPassages, statistics, type StoredPassage } from './passage-index.ts'
import { queryTerms } from './query-terms.ts'
import { OTHER_WORD, scoreOf, weigh, type WeighedTerm } from './score.ts'
import { termsOf } from './terms.ts'
import { nearnessIn, nearnessOf, type Sought } from './vectors.ts'

export type Search = {
  /** Nothing outside these spaces is looked at. */
  spaces: readonly string[]
  query: string
  limit: number
  /** [S15.3] What scores less is not found. */
  minScore: number
  /** Of the refs named, those that count now; absent: all do. */
  only?: ((refs: readonly string[]) => Work<ReadonlySet<string>>) | undefined
  /** One word is enough: for spaces whose passages are a sentence each, where it hardly stands by chance. */
  isOneEnough?: boolean | undefined
  /** Other words for those of the query count for nothing: where what is found wrongly does more harm than what is missed. */
  isLiteral?: boolean | undefined
  /** [S15.3] Default: by words, and by meaning where there is an embedder. */
  method?: Method | undefined
}

type Method = 'keyword' | 'semantic' | 'hybrid'

export type FoundPassage = StoredPassage & { score: number }

/** [S15.3] */
export const MIN_SCORE = 0.3

/** Entries of the index that one search reads: rare terms first, common ones as long as there is room. */
const ENTRIES = 8_000
/** Terms that one search looks up, those of other words for its own included. */
const LOOKED_UP = 200
/** Passages that are read and scored whole, by their words and by their meaning each. */
const CANDIDATES = 60
/** Whoever asks waits no longer for the meaning of a question; it is then looked for by its words. */
const EMBED_MS = 2_000
/** [S15.3] */
const SHARES = { words: 0.3, meaning: 0.7 }

/** What a question finds, best first. A question that nothing is about finds nothing. */
export async function findPassages(engine: Engine, search: Search, embedder?: Embedder): Promise<FoundPassage[]> {
  const { spaces, method = 'hybrid', isOneEnough = false, isLiteral = false } = search
  if (spaces.length === 0) return []
  const near = embedder && method !== 'keyword' ? await nearTo(engine, search, embedder) : undefined
  const terms = queryTerms(search.query, { isLiteral })
  if (terms.length === 0 && !near) return []
  return engine.read(function* () {
    const counted = yield* statistics(engine, spaces, [
      ...new Set(terms.flatMap(({ term, others }) => [term, ...others.flat()])),
    ])
    const asked = weigh(terms, counted)
    const told = selective(asked, counted.withTerm)
    const held = yield* holders(
      engine,
      spaces,
      told.map(({ term }) => term),
    )
    const ids = new Set([...best(told, held), ...nearest(near?.known)])
    const meanings = near && (yield* meaningsOf(engine, [...ids], near))
    const loaded = yield* loadPassages(engine, [...ids])
    const counting = search.only && (yield* search.only([...new Set(loaded.map(({ ref }) => ref))]))
    return loaded
      .filter(({ space, ref }) => spaces.includes(space) && (counting?.has(ref) ?? true))
      .map((passage) => ({ ...passage, score: combined(asked, passage, { meanings, method, isOneEnough }) }))
      .filter(({ score }) => score >= search.minScore)
      .sort((a, b) => b.score - a.score || b.id - a.id)
      .slice(0, search.limit)
  })
}

/** The nearness of passages, by their ids. */
type Meanings = ReadonlyMap<number, number>
/** What a question means, and how near passages are to it: the nearest at least. */
type Near = Sought & { known: Meanings }

/** An endpoint that fails costs the meaning, and not the search. */
async function nearTo(
  engine: Engine,
  { spaces, query }: Search,
  { model, embed }: Embedder,
): Promise<Near | undefined> {
  try {
    const [vector] = await embed([query], AbortSignal.timeout(EMBED_MS))
    const sought = { model, query: vector! }
    return { ...sought, known: await nearnessIn(engine, { ...sought, spaces, limit: CANDIDATES }) }
  } catch {
    return undefined
  }
}

/** Those that were found by their words may not be among the nearest. */
function* meaningsOf(engine: Engine, ids: readonly number[], { known, ...sought }: Near): Work<Meanings> {
  const others = ids.filter((id) => !known.has(id))
  const meanings = others.length === 0 ? new Map<number, number>() : yield* nearnessOf(engine, others, sought)
  for (const id of ids) if (known.has(id)) meanings.set(id, known.get(id)!)
  return meanings
}

/** [S15.3] A passage without a vector has its words alone. */
function combined(
  asked: readonly WeighedTerm[],
  { id, head, text }: StoredPassage,
  { meanings, method, isOneEnough }: { meanings: Meanings | undefined; method: Method; isOneEnough: boolean },
): number {
  const meaning = meanings?.get(id)
  if (method === 'semantic' && meanings) return meaning ?? 0
  const words = scoreOf(asked, { head: termsOf(head), body: termsOf(text), isOneEnough })
  return meaning === undefined ? words : SHARES.words * words + SHARES.meaning * meaning
}

function nearest(known: Meanings = new Map()): number[] {
  return [...known]
    .sort(([x, a], [y, b]) => b - a || x - y)
    .slice(0, CANDIDATES)
    .map(([id]) => id)
}

/** A term whose holders are looked up, and what it is worth there. */
type Told = { term: string; value: number }

/** The rare ones tell passages apart, the common ones are in all of them anyway. */
function selective(asked: readonly WeighedTerm[], withTerm: ReadonlyMap<string, number>): Told[] {
  const told = new Map<string, number>()
  const tell = (term: string, value: number) => told.set(term, Math.max(told.get(term) ?? 0, value))
  for (const { term, weight, inAll, others } of asked) {
    if (withTerm.has(term)) tell(term, weight * inAll)
    for (const { terms, rarity } of others)
      for (const each of terms) tell(each, (weight * rarity * OTHER_WORD) / terms.length)
  }
  const holdersOf = ([term]: readonly [string, number]) => withTerm.get(term)!
  const rarest = [...told].sort((a, b) => holdersOf(a) - holdersOf(b)).slice(0, LOOKED_UP)
  let entries = 0
  return rarest
    .filter((each, place) => (entries += holdersOf(each)) <= ENTRIES || place === 0)
    .map(([term, value]) => ({ term, value }))
}

/** The passages that hold the most of what was asked for. */
function best(told: readonly Told[], held: readonly number[][]): number[] {
  const sums = new Map<number, number>()
  for (const [place, ids] of held.entries())
    for (const id of ids) sums.set(id, (sums.get(id) ?? 0) + told[place]!.value)
  return [...sums]
    .sort(([a, x], [b, y]) => y - x || b - a)
    .slice(0, CANDIDATES)
    .map(([id]) => id)
}
