import type { ScheduledTaskRun } from '@parley/protocol/rest'
import type { Selectable } from 'kysely'
import type { Engine } from '../store/engine.ts'
import type { Schema } from '../store/schema.ts'
import { run, runSql, type Work } from '../store/work.ts'
import { failureWords } from '../words/error-words.ts'
import type { Reader } from '../words/reader.ts'

export type SlotRow = Selectable<Schema['slots']>

/** So many records of a task are kept. */
const RECORDS_KEPT = 1_000

/** `false`: that slot was taken before. The oldest records go. */
export function* insertSlot(engine: Engine, row: SlotRow): Work<boolean> {
  const { task_id } = row
  const inserted = yield* run(
    engine.db
      .insertInto('slots')
      .values(row)
      .onConflict((conflict) => conflict.doNothing())
      .returning('slot'),
  )
  yield* runSql(
    `DELETE FROM slots WHERE task_id = ? AND fate <> 'running' AND slot <=
      (SELECT slot FROM slots WHERE task_id = ? ORDER BY slot DESC LIMIT 1 OFFSET ${RECORDS_KEPT})`,
    [task_id, task_id],
  )
  return inserted.length > 0
}

/** The one record of a task that is not ended: as long as there is one, no other run begins. */
export function* runningSlot(task_id: string): Work<SlotRow | undefined> {
  const [row] = yield* runSql<SlotRow>("SELECT * FROM slots WHERE task_id = ? AND fate = 'running'", [task_id])
  return row
}

export function* runningSlotIn(session_id: string): Work<SlotRow | undefined> {
  const [row] = yield* runSql<SlotRow>("SELECT * FROM slots WHERE session_id = ? AND fate = 'running'", [session_id])
  return row
}

export type SlotEnd = { fate: 'ran' | 'failed'; error: string | null; finished_at: number }

export function* endSlot({ task_id, slot }: SlotRow, { fate, error, finished_at }: SlotEnd): Work<void> {
  yield* runSql(
    "UPDATE slots SET fate = ?, error = ?, finished_at = ? WHERE task_id = ? AND slot = ? AND fate = 'running'",
    [fate, error, finished_at, task_id, slot],
  )
}

/** Newest first. */
export function* slotsOf(task_id: string, { limit, offset }: { limit: number; offset: number }): Work<SlotRow[]> {
  return yield* runSql('SELECT * FROM slots WHERE task_id = ? ORDER BY slot DESC LIMIT ? OFFSET ?', [
    task_id,
    limit,
    offset,
  ])
}

const STATUS = {
  running: 'running',
  ran: 'completed',
  skipped: 'failed',
  missed: 'failed',
  failed: 'failed',
} as const satisfies Record<SlotRow['fate'], ScheduledTaskRun['status']>

/** What is stored of its end is a sentence of the server's; a reader gets it in theirs. */
export function toRun(row: SlotRow, reader: Reader): ScheduledTaskRun {
  const { run_record_id: id, task_id, session_id, fate, error } = row
  return {
    ...{ id, task_id, error: error === null ? null : failureWords(error, reader) },
    // [WR-71] A text also where there is none.
    session_id: session_id ?? '',
    status: STATUS[fate],
    fate: fate === 'running' ? null : fate,
    triggered_at: iso(row.claimed_at),
    finished_at: orNull(row.finished_at),
    due_at: row.is_manual === 1 ? null : iso(row.slot),
    due_before: orNull(row.slots_before),
  }
}

function iso(ms: number): string {
  return new Date(ms).toISOString()
}

function orNull(ms: number | null): string | null {
  return ms === null ? null : iso(ms)
}
