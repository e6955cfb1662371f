import { isDeeper } from '@parley/protocol/wire'
import { toMilliseconds } from '../../model/conversation-history.ts'
import type { SkinTexts } from './texts.ts'

const DAY_MS = 86_400_000

/** Seconds with two decimals. */
export const formatSeconds = (ms: number, locale: string): string =>
  new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 }).format(ms / 1000)

export const formatCount = (count: number, locale: string): string => new Intl.NumberFormat(locale).format(count)

export const formatClock = (ms: number, locale: string): string =>
  new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', hour12: false }).format(ms)

/** `HH:mm` today, "n days ago" up to six, `MM-dd` this year, else `YYYY-MM-dd`. */
export function formatAge(time: number, now: number, { locale, texts }: { locale: string; texts: SkinTexts }): string {
  const at = new Date(toMilliseconds(time))
  const days = Math.round((startOfDay(new Date(now)) - startOfDay(at)) / DAY_MS)
  if (days <= 0) return formatClock(at.getTime(), locale)
  if (days <= 6) return texts.daysAgo(days)
  const part = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat('en', options).format(at)
  const monthAndDay = `${part({ month: '2-digit' })}-${part({ day: '2-digit' })}`
  return at.getFullYear() === new Date(now).getFullYear() ? monthAndDay : `${at.getFullYear()}-${monthAndDay}`
}

export function formatBytes(bytes: number, locale: string): string {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3))
  const format = { style: 'unit', unit: units[power]!, unitDisplay: 'short', maximumFractionDigits: 1 } as const
  return new Intl.NumberFormat(locale, format).format(bytes / 1000 ** power)
}

/** A value of a tool as people read it: text as it is, everything else as JSON. */
export function formatValue(value: unknown): string {
  if (typeof value === 'string') return value
  try {
    return JSON.stringify(value, null, 2) ?? String(value)
  } catch {
    // Cyclic, too deep, or with a number that JSON has not: shown somehow rather than not at all.
    return isDeeper(value) ? Object.prototype.toString.call(value) : String(value)
  }
}

const startOfDay = (date: Date): number => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime()
