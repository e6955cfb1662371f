import { createHash } from 'node:crypto'
import { AgentError } from '@parley/protocol'
import type { ScheduledTask } from '@parley/protocol/rest'
import type { Selectable } from 'kysely'
import type { Engine } from '../store/engine.ts'
import type { Schema } from '../store/schema.ts'
import { run, runSql, type Work } from '../store/work.ts'

export type ScheduleRow = Selectable<Schema['schedules']>

export function* insertTask(engine: Engine, row: ScheduleRow): Work<void> {
  yield* run(engine.db.insertInto('schedules').values(row))
}

export function* countTasks(user_id: string): Work<number> {
  const [row] = yield* runSql<{ n: number }>('SELECT CAST(count(*) AS INTEGER) AS n FROM schedules WHERE user_id = ?', [
    user_id,
  ])
  return row!.n
}

/** Oldest first. */
export function* tasksOf(user_id: string): Work<ScheduleRow[]> {
  return yield* runSql('SELECT * FROM schedules WHERE user_id = ? ORDER BY created_at, id', [user_id])
}

/** `not_found` also for somebody else's. */
export function* demandTask(user_id: string, id: string): Work<ScheduleRow> {
  const [row] = yield* runSql<ScheduleRow>('SELECT * FROM schedules WHERE id = ? AND user_id = ?', [id, user_id])
  return row ?? noSuchTask(id)
}

/** Nobody else changes it, or takes a slot of it, for the rest of the transaction. What was prepared for it is void. */
export function* holdTask(user_id: string, id: string): Work<ScheduleRow> {
  const [row] = yield* runSql<ScheduleRow>(
    'UPDATE schedules SET version = version + 1 WHERE id = ? AND user_id = ? RETURNING *',
    [id, user_id],
  )
  return row ?? noSuchTask(id)
}

export function* storeTask(engine: Engine, { id, ...row }: ScheduleRow): Work<void> {
  yield* run(engine.db.updateTable('schedules').set(row).where('id', '=', id))
}

export function* dropTask(id: string): Work<void> {
  yield* runSql('DELETE FROM slots WHERE task_id = ?', [id])
  yield* runSql('DELETE FROM schedules WHERE id = ?', [id])
}

export type DueRow = ScheduleRow & { next_at: number; now: number }

/** Tasks with a slot whose time has come, those first that wait longest. */
export function dueTasks(engine: Engine, limit: number): Promise<DueRow[]> {
  return engine.select(
    'SELECT schedules.*, now_ms() AS now FROM schedules WHERE next_at <= now_ms() ORDER BY next_at, id LIMIT ?',
    [limit],
  )
}

/** The claim: `false` when the task was changed meanwhile, or somebody else was faster. */
export function* moveOn({ id, version, next_at }: DueRow, next: number | null): Work<boolean> {
  const rows = yield* runSql(
    'UPDATE schedules SET next_at = ? WHERE id = ? AND version = ? AND next_at = ? RETURNING id',
    [next, id, version, next_at],
  )
  return rows.length > 0
}

/** What its owner agrees to when nobody is to be asked: this prompt, of this user. */
export function consentTo({ user_id, prompt }: Pick<ScheduleRow, 'user_id' | 'prompt'>): string {
  return createHash('sha256')
    .update(JSON.stringify([user_id, prompt]))
    .digest('hex')
}

export function hasConsent(row: ScheduleRow): boolean {
  return row.skip_confirmations === 1 && row.consent === consentTo(row)
}

export function toTask(row: ScheduleRow): ScheduledTask {
  const { id, title, prompt, cron, timezone, expires_at, model, created_at, updated_at } = row
  return {
    ...{ id, title, prompt, cron, timezone, expires_at, model, created_at, updated_at },
    enabled: row.enabled === 1,
    skip_confirmations: hasConsent(row),
    next_run_at: row.next_at === null ? null : new Date(row.next_at).toISOString(),
  }
}

function noSuchTask(id: string): never {
  throw new AgentError('not_found', `There is no scheduled task ${id}.`)
}
