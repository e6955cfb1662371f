/** When something is due, as people choose it. Every choice is a cron expression; not every expression is a choice. */
export type Timing = {
  every: Every
  /** `02:00`, on the clocks of the schedule's time zone. */
  time: string
  /** 1 is Monday, 7 is Sunday. */
  weekday: number
  /** Day of the month; `L` is the last one. Days that some months lack are not offered. */
  date: string
  hours: number
}
export type Every = (typeof EVERY)[number]

export const EVERY = ['day', 'weekdays', 'week', 'month', 'hours'] as const
export const WEEKDAYS = [1, 2, 3, 4, 5, 6, 7] as const
export const DATES: readonly string[] = [...Array.from({ length: 28 }, (_, index) => String(index + 1)), 'L']
/** Those that come out even: every day has the same times. */
export const HOURS = [1, 2, 3, 4, 6, 8, 12] as const

export const USUAL: Timing = { every: 'day', time: '09:00', weekday: 1, date: '1', hours: 2 }

export function cronOf({ every, time, weekday, date, hours }: Timing): string {
  const [hour = 0, minute = 0] = time.split(':').map(Number)
  const at = `${minute} ${hour}`
  if (every === 'day') return `${at} * * *`
  if (every === 'weekdays') return `${at} * * 1-5`
  if (every === 'week') return `${at} * * ${weekday}`
  if (every === 'month') return `${at} ${date} * *`
  return hours === 1 ? '0 * * * *' : `0 */${hours} * * *`
}

/** The choice that means this expression. */
export function timingOf(cron: string): Timing | undefined {
  const hourly = /^0 \*(?:\/(\d+))? \* \* \*$/.exec(cron)
  if (hourly) {
    const hours = Number(hourly[1] ?? 1)
    return HOURS.some((one) => one === hours) ? { ...USUAL, every: 'hours', hours } : undefined
  }
  const [, minute, hour, date = '', weekday = ''] =
    /^(\d{1,2}) (\d{1,2}) (\*|\d{1,2}|L) \* (\*|[0-7]|1-5)$/.exec(cron) ?? []
  if (minute === undefined || hour === undefined || Number(minute) > 59 || Number(hour) > 23) return undefined
  const at = { ...USUAL, time: `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}` }
  if (date !== '*') return weekday === '*' && DATES.includes(date) ? { ...at, every: 'month', date } : undefined
  if (weekday === '*') return { ...at, every: 'day' }
  if (weekday === '1-5') return { ...at, every: 'weekdays' }
  return { ...at, every: 'week', weekday: Number(weekday) || 7 }
}
