import { AgentError } from '@parley/protocol'
import type { Memory, MemoryBatch } from '@parley/protocol/rest'
import type { Engine } from '../store/engine.ts'
import { run, runSql, type Work } from '../store/work.ts'
import { indexMemory, unindexMemory } from './memory-index.ts'
import { derivedFrom, findMemory, holdMemories, type NewMemory, selectMemories } from './memory-rows.ts'

export function* demandMemory(user_id: string, id: number): Work<Memory> {
  const memory = yield* findMemory(user_id, id)
  if (!memory) throw new AgentError('not_found', `There is no memory ${id}.`, { details: { id } })
  return memory
}

/** Fields that are not given stay as they are. What another memory says already is refused: there would be two of it. */
export function* editMemory(
  engine: Engine,
  user_id: string,
  { id, now, ...change }: Partial<NewMemory> & { id: number; now: string },
): Work<Memory> {
  yield* holdMemories(user_id)
  const before = yield* demandMemory(user_id, id)
  if (Object.keys(change).length === 0) return before
  const after = { ...before, ...change, updated_at: now }
  const derived = derivedFrom(after)
  if (before.superseded_by === null) yield* demandNew(user_id, id, derived.fingerprint)
  yield* run(
    engine.db
      .updateTable('memories')
      .set({ ...change, ...derived, updated_at: now })
      .where('id', '=', id),
  )
  yield* refreshIndex(engine, user_id, after)
  return after
}

function* demandNew(user_id: string, id: number, fingerprint: string): Work<void> {
  const [other] = yield* selectMemories(
    'user_id = ? AND fingerprint = ? AND superseded_by IS NULL AND id <> ? LIMIT 1',
    [user_id, fingerprint, id],
  )
  if (other)
    throw new AgentError('already_exists', `Memory ${other.id} says that already.`, { details: { id: other.id } })
}

export function* switchMemory(
  engine: Engine,
  user_id: string,
  { id, disabled, now }: { id: number; disabled: boolean; now: string },
): Work<Memory> {
  yield* holdMemories(user_id)
  const before = yield* demandMemory(user_id, id)
  if (before.disabled === disabled) return before
  const after = { ...before, disabled, updated_at: now }
  yield* runSql('UPDATE memories SET disabled = ?, updated_at = ? WHERE id = ?', [disabled ? 1 : 0, now, id])
  yield* refreshIndex(engine, user_id, after)
  return after
}

/** What is gone is gone with everything it had replaced, when `withPast`: whoever says "forget it" means that too. */
export function* forgetMemories(
  engine: Engine,
  user_id: string,
  { ids, withPast }: { ids: readonly number[]; withPast: boolean },
): Work<Memory[]> {
  yield* holdMemories(user_id)
  const gone: Memory[] = []
  let next = yield* selectMemories(`user_id = ? AND id IN (${marks(ids)})`, [user_id, ...ids])
  while (next.length > 0) {
    for (const { id } of next) {
      yield* runSql('DELETE FROM memories WHERE id = ?', [id])
      yield* unindexMemory(engine, user_id, id)
    }
    gone.push(...next)
    const past = next.map(({ id }) => id)
    next = withPast
      ? yield* selectMemories(`user_id = ? AND superseded_by IN (${marks(past)})`, [user_id, ...past])
      : []
  }
  return gone
}

/** Some at a time: whoever has many of them must not hold up the others. */
export async function forgetAll(engine: Engine, user_id: string): Promise<void> {
  for (;;) {
    const rows = await engine.select<{ id: number }>('SELECT id FROM memories WHERE user_id = ? LIMIT 50', [user_id])
    if (rows.length === 0) return
    await engine.write(() => forgetMemories(engine, user_id, { ids: rows.map(({ id }) => id), withPast: false }))
  }
}

/** How many were really changed: those of others, and those that were so already, do not count. */
export function* changeMany(
  engine: Engine,
  user_id: string,
  { action, ids, now }: MemoryBatch & { now: string },
): Work<number> {
  const distinct = [...new Set(ids)]
  if (action === 'delete') return (yield* forgetMemories(engine, user_id, { ids: distinct, withPast: false })).length
  yield* holdMemories(user_id)
  const disabled = action === 'disable'
  const others = yield* selectMemories(`user_id = ? AND disabled = ? AND id IN (${marks(distinct)})`, [
    ...[user_id, disabled ? 0 : 1],
    ...distinct,
  ])
  for (const { id } of others) yield* switchMemory(engine, user_id, { id, disabled, now })
  return others.length
}

function* refreshIndex(engine: Engine, user_id: string, memory: Memory): Work<void> {
  const isUsed = !memory.disabled && memory.superseded_by === null
  if (isUsed) yield* indexMemory(engine, user_id, memory)
  else yield* unindexMemory(engine, user_id, memory.id)
}

function marks(values: readonly unknown[]): string {
  return values.map(() => '?').join(', ')
}
