import type { Memory } from '@parley/protocol/rest'
import { run, runSql, type Work } from '../store/work.ts'
import type { Engine } from '../store/engine.ts'
import { claimOf } from './claim.ts'
import { fingerprintOf, fold } from './wording.ts'

/** What somebody says about a new memory. */
export type NewMemory = Pick<
  Memory,
  | 'type'
  | 'content'
  | 'skill_name'
  | 'record_type'
  | 'scope'
  | 'owner'
  | 'topic'
  | 'mem0_id'
  | 'write_reason'
  | 'source_session'
>

type Row = Omit<Memory, 'id' | 'superseded_by' | 'hit_count' | 'disabled'> & {
  id: number | string
  superseded_by: number | string | null
  hit_count: number | string
  disabled: number
}

export const MEMORY_COLUMNS = `id, type, content, skill_name, record_type, scope, owner, topic, mem0_id, superseded_by, write_reason,
  created_at, updated_at, hit_count, last_hit_at, disabled, source_session`

/** What a memory is found, merged and replaced by follows from what it says. */
export function derivedFrom(memory: Pick<NewMemory, 'content' | 'skill_name' | 'record_type' | 'scope' | 'owner'>) {
  const { content } = memory
  return { folded: fold(content), fingerprint: fingerprintOf(content, memory), claim: claimOf(content, memory) }
}

export function* selectMemories(condition: string, parameters: readonly unknown[]): Work<Memory[]> {
  const rows = yield* runSql<Row>(`SELECT ${MEMORY_COLUMNS} FROM memories WHERE ${condition}`, parameters)
  return rows.map(toMemory)
}

/** Somebody's own; a foreign one is as good as none. */
export function* findMemory(user_id: string, id: number): Work<Memory | undefined> {
  const [memory] = yield* selectMemories('user_id = ? AND id = ?', [user_id, id])
  return memory
}

export function* insertMemory(engine: Engine, user_id: string, memory: NewMemory & { now: string }): Work<Memory> {
  const { now, ...said } = memory
  const row = {
    ...said,
    ...derivedFrom(said),
    ...{ user_id, created_at: now, updated_at: null, hit_count: 0, last_hit_at: null, disabled: 0 },
    superseded_by: null,
  }
  const [made] = yield* run(engine.db.insertInto('memories').values(row).returning('id'))
  return { ...said, id: made!.id, ...REST, created_at: now }
}

const REST = { superseded_by: null, updated_at: null, hit_count: 0, last_hit_at: null, disabled: false }

/**
 * One at a time of each user: how many there are, and whether one of them says the same, holds until the end of the
 * transaction.
 */
export function* holdMemories(user_id: string): Work<void> {
  yield* runSql('UPDATE users SET id = id WHERE id = ?', [user_id])
}

function toMemory({ id, superseded_by, hit_count, disabled, ...row }: Row): Memory {
  return {
    ...row,
    id: Number(id),
    superseded_by: superseded_by === null ? null : Number(superseded_by),
    hit_count: Number(hit_count),
    disabled: disabled === 1,
  }
}
