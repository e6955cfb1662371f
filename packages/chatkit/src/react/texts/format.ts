import { isDeeper } from '@parley/protocol/wire'

/** Seconds with two decimals. */
export const formatSeconds = (ms: number, locale: string): string =>
  new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 }).format(ms / 1000)

/** Less than this is no time. */
const SHOWN_FROM_MS = 10

/** Seconds as people say them: 0.02, 2.8, 74. Empty for no time. */
export const formatDuration = (ms: number, locale: string): string =>
  ms < SHOWN_FROM_MS
    ? ''
    : new Intl.NumberFormat(locale, ms < 9950 ? { maximumSignificantDigits: 2 } : { maximumFractionDigits: 0 }).format(
        ms / 1000,
      )

export const formatCount = (count: number, locale: string): string => new Intl.NumberFormat(locale).format(count)

export const formatClock = (ms: number, locale: string): string =>
  new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', hour12: false }).format(ms)

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
