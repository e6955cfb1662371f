import { setImmediate } from 'node:timers/promises'
import type { CalendarEntry } from '@parley/protocol/rest'
import type { ScheduleRow } from './schedule-rows.ts'
import { openTimetable, slotsBetween } from './timetable.ts'

/** Of one task, and of all together: each takes a twentieth of a millisecond to find. */
const OF_ONE = 1_000
const OF_ALL = 10_000
/** So many are looked for before others get their turn. */
const AT_ONCE = 50

/** [W11.6] When enabled tasks are due. With many tasks, each shows fewer. */
export async function calendarOf(
  tasks: readonly ScheduleRow[],
  { from, to }: { from: number; to: number },
): Promise<CalendarEntry[]> {
  const enabled = tasks.filter((task) => task.enabled === 1)
  const limit = Math.min(OF_ONE, Math.floor(OF_ALL / Math.max(enabled.length, 1)))
  const entries: CalendarEntry[] = []
  for (const task of enabled) {
    const { id: task_id, title, expires_at } = task
    const end = expires_at === null ? to : Math.min(to, Date.parse(expires_at))
    const slots = await occurrences(task, { from, to: end }, limit)
    entries.push({ task_id, title, occurrences: slots.map((slot) => new Date(slot).toISOString()) })
  }
  return entries
}

async function occurrences(task: ScheduleRow, range: { from: number; to: number }, limit: number): Promise<number[]> {
  const timetable = openTimetable(task)
  const slots: number[] = []
  while (slots.length < limit) {
    const from = slots.length === 0 ? range.from : slots.at(-1)! + 1
    const wanted = Math.min(AT_ONCE, limit - slots.length)
    const more = slotsBetween(timetable, { ...range, from }, wanted)
    slots.push(...more)
    if (more.length < wanted) break
    await setImmediate()
  }
  return slots
}
