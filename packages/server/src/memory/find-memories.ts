import type { Memory } from '@parley/protocol/rest'
import type { Embedder } from '../relevance/embedder.ts'
import { findPassages } from '../relevance/find-passages.ts'
import type { Engine } from '../store/engine.ts'
import type { Work } from '../store/work.ts'
import { spaceOf } from './memory-index.ts'
import { selectMemories } from './memory-rows.ts'
import { nearMemories } from './near-memories.ts'

export type MemorySearch = {
  user_id: string
  query: string
  limit: number
  minScore: number
  /** Whether one word in common may be enough. */
  isOneEnough: boolean
}
export type FoundMemory = Memory & { score: number }

/** Where is looked, and with what, if anything, for the meaning of a message. */
export type Finder = { engine: Engine; embedder?: Embedder | undefined }

/**
 * Somebody's memories that a text is about: those that its words find, best first, then those that are near to its meaning.
 * Such as are switched off or were replaced are never among them.
 */
export async function findMemories({ engine, embedder }: Finder, search: MemorySearch): Promise<FoundMemory[]> {
  const { user_id, ...wanted } = search
  const space = spaceOf(user_id)
  const byWords = await findPassages(engine, { ...wanted, spaces: [space], method: 'keyword', isLiteral: true })
  const byMeaning = embedder ? await nearMemories({ engine, embedder }, space, wanted.query) : []
  const scores = new Map<number, number>()
  for (const { ref, score } of [...byWords, ...byMeaning]) if (!scores.has(Number(ref))) scores.set(Number(ref), score)
  const ids = [...scores.keys()].slice(0, wanted.limit)
  const usable = await engine.read(() => usableMemories(user_id, ids))
  const byId = new Map(usable.map((memory) => [memory.id, memory]))
  return ids.flatMap((id) => {
    const memory = byId.get(id)
    return memory ? [{ ...memory, score: scores.get(id)! }] : []
  })
}

/** Of those named, the ones that may be used now, in the order of their ids. */
export function* usableMemories(user_id: string, ids: readonly number[]): Work<Memory[]> {
  if (ids.length === 0) return []
  const marks = ids.map(() => '?').join(', ')
  return yield* selectMemories(
    `user_id = ? AND disabled = 0 AND superseded_by IS NULL AND id IN (${marks}) ORDER BY id`,
    [user_id, ...ids],
  )
}
