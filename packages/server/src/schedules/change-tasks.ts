import { AgentError } from '@parley/protocol'
import type { CreateScheduledTask, UpdateScheduledTask } from '@parley/protocol/rest'
import type { Ids } from '../ports.ts'
import { recordAudit } from '../store/audit.ts'
import { databaseNow } from '../store/database-now.ts'
import type { Engine } from '../store/engine.ts'
import { runSql, type Work } from '../store/work.ts'
import { recordMissed } from './claim-slots.ts'
import { nextSlot } from './plan-slots.ts'
import {
  consentTo,
  countTasks,
  dropTask,
  hasConsent,
  holdTask,
  insertTask,
  type ScheduleRow,
  storeTask,
} from './schedule-rows.ts'
import { invalid, openTimetable, serverTimeZone } from './timetable.ts'

/** So many tasks a user has at most. */
const TASKS_PER_USER = 100
const CHANGED = 'missed: the task was changed before it began'

export type ChangeOptions = { engine: Engine; ids: Ids }

export function* createTask(
  user_id: string,
  given: CreateScheduledTask,
  { engine, ids }: ChangeOptions,
): Work<ScheduleRow> {
  const { title, prompt, cron, enabled = true, skip_confirmations = false, model = null } = given
  // Held until the end: of many who make their last one at once, one does.
  yield* runSql('UPDATE users SET id = id WHERE id = ?', [user_id])
  if ((yield* countTasks(user_id)) >= TASKS_PER_USER)
    throw new AgentError('invalid_payload', `There are ${TASKS_PER_USER} scheduled tasks already; delete one first.`)
  const now = yield* databaseNow()
  demandFuture(given.expires_at, now)
  const at = new Date(now).toISOString()
  const row: ScheduleRow = {
    ...{ id: ids.next('task'), user_id, title, prompt, cron, model },
    timezone: given.timezone ?? serverTimeZone(),
    enabled: enabled ? 1 : 0,
    expires_at: instant(given.expires_at ?? null),
    skip_confirmations: skip_confirmations ? 1 : 0,
    consent: skip_confirmations ? consentTo({ user_id, prompt }) : null,
    ...{ next_at: null, created_at: at, updated_at: at, version: 0 },
  }
  const timed = { ...row, next_at: nextOf(row, now) }
  yield* insertTask(engine, timed)
  yield* audited(timed, 'create')
  return timed
}

type Change = { id: string; change: UpdateScheduledTask }

export function* changeTask(user_id: string, { id, change }: Change, options: ChangeOptions): Work<ScheduleRow> {
  const before = yield* holdTask(user_id, id)
  const now = yield* databaseNow()
  demandFuture(change.expires_at, now)
  const changed = { ...withFields(before, change), updated_at: new Date(now).toISOString() }
  const after = isMoved(before, changed) ? { ...changed, next_at: nextOf(changed, now) } : changed
  // What is due and was not begun yet is not lost without a word.
  if (after.next_at !== before.next_at && before.next_at !== null && before.next_at <= now)
    yield* recordMissed(before, { slot: before.next_at, before: now + 1, error: CHANGED }, options)
  yield* storeTask(options.engine, after)
  yield* audited(after, 'change')
  return after
}

/** With what is known of its runs; their sessions stay. */
export function* deleteTask(user_id: string, id: string): Work<ScheduleRow> {
  const row = yield* holdTask(user_id, id)
  yield* dropTask(id)
  yield* audited(row, 'delete')
  return row
}

/** Whoever agrees to what nobody is asked about can be found later. */
function* audited(row: ScheduleRow, what: 'create' | 'change' | 'delete'): Work<void> {
  const detail = hasConsent(row) ? 'skip_confirmations' : ''
  yield* recordAudit({ actor: row.user_id, action: `schedule.${what}`, subject: row.id, detail })
}

function withFields(before: ScheduleRow, change: UpdateScheduledTask): ScheduleRow {
  const { title, prompt, cron, timezone, model, enabled, expires_at, skip_confirmations } = change
  const after: ScheduleRow = {
    ...before,
    ...(title !== undefined && { title }),
    ...(prompt !== undefined && { prompt }),
    ...(cron !== undefined && { cron }),
    ...(timezone !== undefined && { timezone }),
    ...(model !== undefined && { model }),
    ...(enabled !== undefined && { enabled: enabled ? 1 : 0 }),
    ...(expires_at !== undefined && { expires_at: instant(expires_at) }),
  }
  // Consent is to what was agreed to: for another prompt it must be given again.
  const agrees = skip_confirmations ?? (hasConsent(before) && after.prompt === before.prompt)
  return { ...after, skip_confirmations: agrees ? 1 : 0, consent: agrees ? consentTo(after) : null }
}

const TIMES = ['cron', 'timezone', 'enabled', 'expires_at'] as const

function isMoved(before: ScheduleRow, after: ScheduleRow): boolean {
  return TIMES.some((field) => before[field] !== after[field])
}

function demandFuture(expires_at: string | null | undefined, now: number): void {
  if (expires_at && Date.parse(expires_at) <= now) throw invalid('expires_at', 'This lies in the past.')
}

/** When it is due next. Throws for what can never be. */
function nextOf(task: ScheduleRow, now: number): number | null {
  const timetable = openTimetable(task)
  if (timetable.next(now) === null) throw invalid('cron', 'That time never comes.')
  return task.enabled === 1 ? nextSlot(timetable, task, now) : null
}

function instant(text: string | null): string | null {
  return text === null ? null : new Date(text).toISOString()
}
