/** Whole days of the reader's calendar, the last one included. */
export type Range = { from: Date; to: Date }

export const PRESETS = [7, 30, 90] as const
/** What a bar can be: an hour where there are few of them. */
const HOURLY_DAYS = 2

const midnight = (date: Date, days = 0): Date => new Date(date.getFullYear(), date.getMonth(), date.getDate() + days)

export function lastDays(days: number, now: Date): Range {
  return { from: midnight(now, 1 - days), to: midnight(now) }
}

/** As an address and a date field have it: `2026-11-18`. */
export function dayName(date: Date): string {
  const two = (value: number) => String(value).padStart(2, '0')
  return `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

/** What the address asks for; a week where it asks for nothing that can be meant. */
export function readRange(from: string | null, to: string | null, now: Date): Range {
  const [first, last] = [readDay(from), readDay(to)]
  if (first && last && first <= last) return { from: first, to: last }
  if (first && !last && first <= now) return { from: first, to: midnight(now) }
  return lastDays(7, now)
}

function readDay(text: string | null): Date | null {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text ?? '') ?? []
  if (day === undefined) return null
  const date = new Date(Number(year), Number(month) - 1, Number(day))
  return dayName(date) === text ? date : null
}

/** Days in which clocks are set have other lengths. */
export function daysIn({ from, to }: Range): number {
  return Math.round((to.getTime() - from.getTime()) / 86_400_000) + 1
}

export const isHourly = (range: Range): boolean => daysIn(range) <= HOURLY_DAYS

/** As the server is asked: from midnight to midnight. */
export function timesOf({ from, to }: Range): { from: string; to: string } {
  return { from: from.toISOString(), to: midnight(to, 1).toISOString() }
}

/** As long before: up to this time of its last day where the range is still under way, so that like is compared with like. */
export function timesBefore(range: Range, now: Date): { from: string; to: string } {
  const days = daysIn(range)
  const end = midnight(range.to, 1) > now ? nextHour(now) : midnight(range.to, 1)
  const before = new Date(end)
  before.setDate(end.getDate() - days)
  return { from: midnight(range.from, -days).toISOString(), to: before.toISOString() }
}

/** By the hour: a query that is asked again is the same query for a while. */
function nextHour(date: Date): Date {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate(), date.getHours() + 1)
}

/** When each bar begins, also of those in which nothing happened. */
export function startsOf(range: Range): number[] {
  const end = midnight(range.to, 1).getTime()
  if (isHourly(range)) {
    const hours = Math.round((end - range.from.getTime()) / 3_600_000)
    return Array.from({ length: hours }, (_, hour) => range.from.getTime() + hour * 3_600_000)
  }
  return Array.from({ length: daysIn(range) }, (_, day) => midnight(range.from, day).getTime())
}

/** The first of `7`, `30`, `90` days that this is, up to today. */
export function presetOf(range: Range, now: Date): number | undefined {
  if (dayName(range.to) !== dayName(now)) return undefined
  return PRESETS.find((days) => days === daysIn(range))
}
