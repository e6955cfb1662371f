import type { SessionReader } from '../feature.ts'
import type { Ids } from '../ports.ts'
import { databaseNow } from '../store/database-now.ts'
import type { Engine } from '../store/engine.ts'
import { holdGate } from '../store/gate.ts'
import { runSql, type Work } from '../store/work.ts'
import type { SlotPlan } from './plan-slots.ts'
import { type DueRow, hasConsent, moveOn, type ScheduleRow } from './schedule-rows.ts'
import { endWait, isOver, type Standing, standingOf } from './slot-ends.ts'
import { insertSlot, runningSlot, endSlot, type SlotRow } from './slot-rows.ts'

// What a transaction that begins a run, or gives a slot another fate, is made of. Whoever takes both takes a session's gate
// before a task, so that no two wait for each other.

export type ClaimOptions = {
  engine: Engine
  ids: Ids
  sessions: Pick<SessionReader, 'begin' | 'expireWait'>
}

/** Somebody else took the slot, or something has changed since it was looked at. Nothing was written. */
export class Outdated extends Error {}

const NOT_CAUGHT_UP = 'missed: the server was not running, or too busy, when it was due'
const NEXT_IS_DUE = 'expired: nobody answered before the next run was due'

export type Begun = { session_id: string; run_id: string }

/** Through the same door as a message of its owner's. */
export function beginRun(task: ScheduleRow, { sessions }: ClaimOptions, rows: (begun: Begun) => Work<void>) {
  const { user_id, title, prompt, model } = task
  const isUnattended = hasConsent(task)
  return sessions.begin(
    { user_id },
    {
      session: { intent: title, model },
      message: prompt,
      headless: isUnattended,
      ...(isUnattended && { terms: { has_consent: true } }),
      rows,
    },
  )
}

/** A run that is not ended, and where it stands. */
export type Previous = { slot: SlotRow; standing: Standing } | undefined

export function* findPrevious({ id }: ScheduleRow): Work<Previous> {
  const slot = yield* runningSlot(id)
  return slot && { slot, standing: yield* standingOf(slot) }
}

/** The same with its session's gate: until the end of the transaction it stands where it stands. */
export function* holdPrevious(task: ScheduleRow): Work<Previous> {
  const slot = yield* runningSlot(task.id)
  if (slot) yield* holdGate(slot.session_id!)
  return yield* findPrevious(task)
}

/** Ends the record of the last run before another begins: one that waits for an answer waits no more. */
export function* leavePrevious(task: ScheduleRow, previous: Previous, { sessions }: ClaimOptions): Work<void> {
  const running = yield* runningSlot(task.id)
  if (running?.run_record_id !== previous?.slot.run_record_id || previous?.standing === 'active') throw new Outdated()
  if (!previous) return
  const { slot, standing } = previous
  if (isOver(standing)) yield* endSlot(slot, standing)
  else yield* endWait(slot, { sessions, error: NEXT_IS_DUE, now: yield* databaseNow() })
}

/** The claim: from here on nobody else gives these slots a fate. */
export function* takeSlots(task: DueRow, { missed, next }: SlotPlan, options: ClaimOptions): Work<void> {
  if (!(yield* moveOn(task, next))) throw new Outdated()
  if (missed) yield* recordMissed(task, { ...missed, error: NOT_CAUGHT_UP }, options)
}

type Missed = { slot: number; before: number; error: string }

export function* recordMissed(
  task: Pick<ScheduleRow, 'id'>,
  { slot, before, error }: Missed,
  options: Pick<ClaimOptions, 'engine' | 'ids'>,
): Work<void> {
  yield* recordSlot(task, { slot, slots_before: before, fate: 'missed', error }, options)
}

type NewSlot = Pick<SlotRow, 'slot' | 'fate'> & Partial<SlotRow>

/** A slot that has its row already keeps it: somebody has set a clock back. */
export function* recordSlot(
  { id }: Pick<ScheduleRow, 'id'>,
  given: NewSlot,
  { engine, ids }: Pick<ClaimOptions, 'engine' | 'ids'>,
): Work<void> {
  const now = yield* databaseNow()
  const isNew = yield* insertSlot(engine, {
    ...{ session_id: null, run_id: null, error: null, slots_before: null, is_manual: 0 },
    claimed_at: now,
    finished_at: given.fate === 'running' ? null : now,
    ...given,
    task_id: id,
    run_record_id: ids.next('run'),
  })
  if (!isNew && given.fate === 'running') throw new Outdated()
}

export function* isTaken(task_id: string, slot: number): Work<boolean> {
  return (yield* runSql('SELECT slot FROM slots WHERE task_id = ? AND slot = ?', [task_id, slot])).length > 0
}
