import type { ScheduleRow } from './schedule-rows.ts'
import { openTimetable, type Timetable } from './timetable.ts'

/** A slot that is later than this is not caught up. */
const CATCH_UP_MS = 5 * 60_000

export type SlotPlan = {
  /** The one to run now; `null`: none. */
  fires: number | null
  /** From the first on, and before the second, all are missed. */
  missed: { slot: number; before: number } | null
  /** The next one to wait for; `null`: there is none. */
  next: number | null
}

export type DueTask = Pick<ScheduleRow, 'cron' | 'timezone' | 'expires_at'> & { next_at: number }

/** What becomes of everything that is due by now. Of several, as after a standstill, only the last runs, and only if it is fresh. */
export function planSlots(task: DueTask, now: number): SlotPlan {
  const timetable = openTimetable(task)
  const { next_at } = task
  const end = Math.min(now, endOf(task))
  let fires: number | null = null
  const fresh = Math.max(next_at, now - CATCH_UP_MS)
  for (let slot = timetable.next(fresh - 1); slot !== null && slot <= end; slot = timetable.next(slot)) fires = slot
  const next = nextSlot(timetable, task, now)
  const before = fires ?? next ?? end + 1
  return { fires, missed: fires === next_at ? null : { slot: next_at, before }, next }
}

/** The next slot after a time, of a task that may end before it. */
export function nextSlot(timetable: Timetable, task: Pick<ScheduleRow, 'expires_at'>, after: number): number | null {
  const next = timetable.next(after)
  return next === null || next > endOf(task) ? null : next
}

function endOf({ expires_at }: Pick<ScheduleRow, 'expires_at'>): number {
  return expires_at === null ? Infinity : Date.parse(expires_at)
}
