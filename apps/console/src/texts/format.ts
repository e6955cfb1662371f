import { useMemo } from 'react'
import { type Language, useLanguage } from './language.ts'

export const LOCALES = { en: 'en-GB', zh: 'zh-CN' } as const
const DAY_MS = 86_400_000
/** A number, a space and one of these; the language's own short forms have no space, or none that is short. */
const UNITS = {
  en: { second: 's', minute: 'min', hour: 'h', day: 'd' },
  zh: { second: '秒', minute: '分钟', hour: '小时', day: '天' },
} as const

export type Format = ReturnType<typeof formatIn>

/** Times, lengths and amounts as people write them. */
export function useFormat(): Format {
  const language = useLanguage()
  return useMemo(() => formatIn(language), [language])
}

const kept = new Map<Language, ReturnType<typeof make>>()

export function formatIn(language: Language) {
  const found = kept.get(language) ?? make(language)
  kept.set(language, found)
  return found
}

function make(language: Language) {
  const locale = LOCALES[language]
  const clock = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', hour12: false })
  const clockWithSeconds = new Intl.DateTimeFormat(locale, {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hour12: false,
  })
  const day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' })
  const dayOfYear = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', year: 'numeric' })
  const whole = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'long' })
  const month = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric' })
  const number = new Intl.NumberFormat(locale)
  const short = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 })
  const fraction = [0, 1, 2].map((digits) => new Intl.NumberFormat(locale, { maximumFractionDigits: digits }))
  const unit = (value: number, name: keyof (typeof UNITS)['en'], digits = 0) =>
    `${fraction[digits]!.format(value)} ${UNITS[language][name]}`
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' })

  return {
    clock: (at: string | number) => clock.format(new Date(at)),
    clockWithSeconds: (at: string | number) => clockWithSeconds.format(new Date(at)),
    /** With its zone, for tooltips. */
    absolute: (at: string | number) => whole.format(new Date(at)),
    day: (at: string | number) =>
      (new Date(at).getFullYear() === new Date().getFullYear() ? day : dayOfYear).format(new Date(at)),
    month: (at: string | number) => month.format(new Date(at)),
    /** What clocks show in another time zone. */
    inZone: (at: string | number, timeZone: string) =>
      new Intl.DateTimeFormat(locale, {
        ...{ weekday: 'short', day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', hour12: false },
        timeZone,
      }).format(new Date(at)),
    /** In a list: the time today and yesterday, the day before that. */
    inList(at: string) {
      const age = Date.now() - Date.parse(at)
      if (age < 60_000) return relative.format(0, 'second')
      if (age < 3_600_000) return unit(Math.floor(age / 60_000), 'minute')
      return daysAgo(at) < 2 ? clock.format(new Date(at)) : day.format(new Date(at))
    },
    ago(at: string | number) {
      const seconds = Math.round((new Date(at).getTime() - Date.now()) / 1_000)
      const size = Math.abs(seconds)
      if (size < 60) return relative.format(seconds, 'second')
      if (size < 3_600) return relative.format(Math.round(seconds / 60), 'minute')
      if (size < 86_400) return relative.format(Math.round(seconds / 3_600), 'hour')
      return relative.format(Math.round(seconds / 86_400), 'day')
    },
    /** `0.02 s`, `2.8 s`, `61 s`, `7 min 23 s`, `2 h 5 min`. */
    duration(ms: number) {
      const seconds = ms / 1_000
      if (seconds < 10) return unit(seconds, 'second', seconds < 0.1 ? 2 : 1)
      if (seconds < 100) return unit(Math.round(seconds), 'second')
      const minutes = Math.floor(seconds / 60)
      if (minutes < 60) return `${unit(minutes, 'minute')} ${unit(Math.round(seconds % 60), 'second')}`
      return `${unit(Math.floor(minutes / 60), 'hour')} ${unit(minutes % 60, 'minute')}`
    },
    /** How long there is still time: seconds under two minutes. */
    left(ms: number) {
      if (ms < 120_000) return unit(Math.max(0, Math.ceil(ms / 1_000)), 'second')
      const minutes = Math.floor(ms / 60_000)
      if (minutes < 60) return unit(minutes, 'minute')
      return unit(Math.floor(minutes / 60), 'hour')
    },
    number: (value: number) => number.format(value),
    /** `12.4k`, `1.3M`: a small m would be minutes. */
    short: (value: number) => short.format(value).replace('m', 'M'),
    percent: (value: number) => `${Math.round(value * 100)}${language === 'zh' ? '' : ' '}%`,
    bytes(value: number) {
      const names = ['byte', 'kilobyte', 'megabyte', 'gigabyte']
      const power = Math.min(Math.floor(Math.log10(Math.max(value, 1)) / 3), names.length - 1)
      return new Intl.NumberFormat(locale, {
        style: 'unit',
        unit: names[power] ?? 'byte',
        // Short, they would be "24 byte".
        unitDisplay: power === 0 ? 'long' : 'short',
        maximumFractionDigits: power === 0 ? 0 : 1,
      }).format(value / 1_000 ** power)
    },
  }
}

/** By the reader's calendar. */
export function daysAgo(at: string): number {
  const midnight = (date: Date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime()
  return Math.round((midnight(new Date()) - midnight(new Date(at))) / DAY_MS)
}

/** When the day so many days ago began, by the reader's calendar, as the server writes times. */
export function dayBefore(days: number): string {
  const now = new Date()
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() - days).toISOString()
}
