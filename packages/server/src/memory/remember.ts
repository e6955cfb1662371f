import { AgentError } from '@parley/protocol'
import type { Memory } from '@parley/protocol/rest'
import type { Engine } from '../store/engine.ts'
import { runSql, type Work } from '../store/work.ts'
import { indexMemory, unindexMemory } from './memory-index.ts'
import { derivedFrom, holdMemories, insertMemory, type NewMemory, selectMemories } from './memory-rows.ts'

/** How many somebody may have, and how many that were replaced are kept beside them, the newest. */
export const MAX_MEMORIES = 1_000

export type Remembered = {
  memory: Memory
  /** It was known already, and no second one was made. */
  isKnown: boolean
  /** What was true until now. */
  replaced: Memory[]
}

type ToRemember = NewMemory & {
  now: string
  /** Ids of what it takes the place of. */
  replaces?: readonly number[]
}

/**
 * Keeps what was said: once, however often it is said, and in place of what it contradicts. What it replaces stays
 * readable, and is never used again.
 */
export function* remember(engine: Engine, user_id: string, wanted: ToRemember): Work<Remembered> {
  const { replaces = [], now, ...said } = wanted
  yield* holdMemories(user_id)
  const { fingerprint, claim } = derivedFrom(said)
  const [same] = yield* selectMemories(
    'user_id = ? AND fingerprint = ? AND superseded_by IS NULL ORDER BY id LIMIT 1',
    [user_id, fingerprint],
  )
  const replaced = (yield* contradicted(user_id, claim, replaces)).filter(({ id }) => id !== same?.id)
  if (!same) yield* demandRoom(user_id, replaced.length)
  const memory = same ? yield* merge(same, { ...said, now }) : yield* insertMemory(engine, user_id, { ...said, now })
  if (!same || same.disabled) yield* indexMemory(engine, user_id, memory)
  for (const { id } of replaced) {
    yield* runSql('UPDATE memories SET superseded_by = ?, updated_at = ? WHERE id = ?', [memory.id, now, id])
    yield* unindexMemory(engine, user_id, id)
  }
  if (replaced.length > 0) yield* forgetOldest(user_id)
  return { memory, isKnown: same !== undefined, replaced }
}

/** Those that say something else about the same, and those that are named. */
function* contradicted(user_id: string, claim: string | null, named: readonly number[]): Work<Memory[]> {
  const conditions = [
    ...(claim === null ? [] : ['claim = ?']),
    ...(named.length === 0 ? [] : [`id IN (${named.map(() => '?').join(', ')})`]),
  ]
  if (conditions.length === 0) return []
  return yield* selectMemories(`user_id = ? AND superseded_by IS NULL AND (${conditions.join(' OR ')}) ORDER BY id`, [
    user_id,
    ...(claim === null ? [] : [claim]),
    ...named,
  ])
}

/** Said again: what was left open the first time is filled in, and what was switched off is wanted after all. */
function* merge(same: Memory, said: NewMemory & { now: string }): Work<Memory> {
  const merged: Memory = {
    ...same,
    topic: same.topic ?? said.topic,
    mem0_id: same.mem0_id ?? said.mem0_id,
    write_reason: same.write_reason ?? said.write_reason,
    disabled: false,
    updated_at: said.now,
  }
  yield* runSql(
    'UPDATE memories SET topic = ?, mem0_id = ?, write_reason = ?, disabled = 0, updated_at = ? WHERE id = ?',
    [merged.topic, merged.mem0_id, merged.write_reason, said.now, same.id],
  )
  return merged
}

function* demandRoom(user_id: string, replaced: number): Work<void> {
  const [row] = yield* runSql<{ count: number | string }>(
    'SELECT count(*) AS count FROM memories WHERE user_id = ? AND superseded_by IS NULL',
    [user_id],
  )
  if (Number(row!.count) - replaced < MAX_MEMORIES) return
  const words = `There are ${MAX_MEMORIES} memories, which is the most that one user can have. Delete some first.`
  throw new AgentError('invalid_payload', words, { details: { limit: MAX_MEMORIES } })
}

function* forgetOldest(user_id: string): Work<void> {
  yield* runSql(
    `DELETE FROM memories WHERE id IN (
      SELECT id FROM memories WHERE user_id = ? AND superseded_by IS NOT NULL
        ORDER BY updated_at DESC, id DESC LIMIT 1000000 OFFSET ?)`,
    [user_id, MAX_MEMORIES],
  )
}
