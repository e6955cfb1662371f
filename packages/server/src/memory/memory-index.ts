import type { Memory } from '@parley/protocol/rest'
import { dropPassages, replacePassages } from '../relevance/passage-index.ts'
import type { Engine } from '../store/engine.ts'
import type { Work } from '../store/work.ts'

/** Where a user's memories are searched: nobody else's are there, and only such as may be used. */
export function spaceOf(user_id: string): string {
  return `memory:${user_id}`
}

export function* indexMemory(
  engine: Engine,
  user_id: string,
  { id, content }: Pick<Memory, 'id' | 'content'>,
): Work<void> {
  const passages = [{ position: 0, head: '', text: content }]
  yield* replacePassages(engine, { space: spaceOf(user_id), ref: String(id), passages })
}

export function* unindexMemory(engine: Engine, user_id: string, id: number): Work<void> {
  yield* dropPassages(engine, { space: spaceOf(user_id), ref: String(id), limit: 1 })
}
