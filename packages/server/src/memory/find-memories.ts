import type { Memory } from '@parley/protocol/rest'
import { findByWords } from '../relevance/find-passages.ts'
import type { Engine } from '../store/engine.ts'
import type { Work } from '../store/work.ts'
import { spaceOf } from './memory-index.ts'
import { selectMemories } from './memory-rows.ts'

export type MemorySearch = { user_id: string; query: string; limit: number; minScore: number }
export type FoundMemory = Memory & { score: number }

/** Somebody's memories that a text is about, best first. Those that are switched off or were replaced are never among them. */
export async function findMemories(engine: Engine, search: MemorySearch): Promise<FoundMemory[]> {
  const { user_id, ...wanted } = search
  const found = await findByWords(engine, { ...wanted, spaces: [spaceOf(user_id)] })
  const usable = await engine.read(() =>
    usableMemories(
      user_id,
      found.map(({ ref }) => Number(ref)),
    ),
  )
  const byId = new Map(usable.map((memory) => [memory.id, memory]))
  return found.flatMap(({ ref, score }) => {
    const memory = byId.get(Number(ref))
    return memory ? [{ ...memory, score }] : []
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
