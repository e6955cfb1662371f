import type { Embedder } from '../relevance/embedder.ts'
import { loadPassages } from '../relevance/passage-index.ts'
import { nearnessIn } from '../relevance/vectors.ts'
import type { Engine } from '../store/engine.ts'

/** Whoever asks waits no longer for the meaning of a message; its words are looked for in any case. */
const EMBED_MS = 2_000
/** Two texts that have nothing to do with each other are 0.05 apart in one model and 0.7 in another: this near they must be in any. */
const NEAR = 0.35
/** And further from the others than those are from each other, by so many times. */
const STANDS_OUT = 2.5
/** Fewer tell nothing about what is usual; then only what is almost the same counts. */
const ENOUGH = 12
const ALMOST_THE_SAME = 0.75

/**
 * Memories whose meaning is nearer to a text than those of a user usually are: what "near" is differs from model to model,
 * and a user's other memories, which mostly have nothing to do with it, tell. An endpoint that fails finds nothing.
 */
export async function nearMemories(
  { engine, embedder }: { engine: Engine; embedder: Embedder },
  space: string,
  query: string,
): Promise<{ ref: string; score: number }[]> {
  const near = await nearnessOf({ engine, embedder }, space, query)
  const least = leastNearness([...near.values()])
  const found = [...near].filter(([, score]) => score >= least).sort(([, a], [, b]) => b - a)
  const passages = await engine.read(() =>
    loadPassages(
      engine,
      found.map(([id]) => id),
    ),
  )
  const refs = new Map(passages.map(({ id, ref }) => [id, ref]))
  return found.flatMap(([id, score]) => (refs.has(id) ? [{ ref: refs.get(id)!, score }] : []))
}

async function nearnessOf(
  { engine, embedder: { model, embed } }: { engine: Engine; embedder: Embedder },
  space: string,
  text: string,
): Promise<Map<number, number>> {
  try {
    const [query] = await embed([text], AbortSignal.timeout(EMBED_MS))
    return await nearnessIn(engine, { spaces: [space], model, query: query! })
  } catch {
    return new Map()
  }
}

function leastNearness(all: readonly number[]): number {
  if (all.length < ENOUGH) return ALMOST_THE_SAME
  const mean = all.reduce((sum, one) => sum + one, 0) / all.length
  const spread = Math.sqrt(all.reduce((sum, one) => sum + (one - mean) ** 2, 0) / all.length)
  return Math.max(NEAR, mean + STANDS_OUT * spread)
}
