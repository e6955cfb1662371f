import type { CalendarEntry } from '@parley/protocol/rest'

export type Due = { task_id: string; title: string; times: string[] }
export type Day = { date: Date; isOfMonth: boolean; dues: Due[] }

const DAYS = 42

/** The month that an address names, as its first day; else the one that is now. */
export function monthIn(text: string | null, now = new Date()): Date {
  const [, year, month] = /^(\d{4})-(\d{2})$/.exec(text ?? '') ?? []
  return year ? new Date(Number(year), Number(month) - 1, 1) : new Date(now.getFullYear(), now.getMonth(), 1)
}

export function monthName(date: Date): string {
  return `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, '0')}`
}

export const otherMonth = (month: Date, step: number): Date => new Date(month.getFullYear(), month.getMonth() + step, 1)

/** Six weeks from the Monday on or before the first: what a month needs at most. Of the past nothing is due any more. */
export function rangeOf(month: Date, now = new Date()): { from: Date; to: Date } {
  const start = firstDay(month)
  const end = new Date(start.getFullYear(), start.getMonth(), start.getDate() + DAYS)
  const minute = new Date(Math.floor(now.getTime() / 60_000) * 60_000)
  return { from: start < minute ? minute : start, to: new Date(end.getTime() - 1) }
}

/** By the reader's calendar. */
export function daysOf(month: Date, entries: readonly CalendarEntry[]): Day[] {
  const start = firstDay(month)
  const byDay = new Map<string, Due[]>()
  for (const { task_id, title, occurrences } of entries)
    for (const at of occurrences) {
      const key = new Date(at).toDateString()
      const dues = byDay.get(key) ?? []
      const last = dues.at(-1)
      if (last?.task_id === task_id) last.times.push(at)
      else dues.push({ task_id, title, times: [at] })
      byDay.set(key, dues)
    }
  const all = Array.from({ length: DAYS }, (_, index): Day => {
    const date = new Date(start.getFullYear(), start.getMonth(), start.getDate() + index)
    const dues = byDay.get(date.toDateString()) ?? []
    return { date, isOfMonth: date.getMonth() === month.getMonth(), dues: dues.toSorted(earlierFirst) }
  })
  return all.slice(0, all.slice(35).some(({ isOfMonth }) => isOfMonth) ? DAYS : 35)
}

const earlierFirst = (a: Due, b: Due) => Date.parse(a.times[0] ?? '') - Date.parse(b.times[0] ?? '')

function firstDay(month: Date): Date {
  const weekday = (month.getDay() + 6) % 7
  return new Date(month.getFullYear(), month.getMonth(), 1 - weekday)
}
