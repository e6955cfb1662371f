import { describe, expect, test } from 'vitest'
import { cronOf, DATES, EVERY, HOURS, timingOf, USUAL, WEEKDAYS } from './timing.ts'
import { timingWords } from './timing-words.ts'

const CHOICES = EVERY.flatMap((every) => {
  const times = ['00:00', '02:05', '23:59'].map((time) => ({ ...USUAL, every, time }))
  if (every === 'week') return times.flatMap((one) => WEEKDAYS.map((weekday) => ({ ...one, weekday })))
  if (every === 'month') return times.flatMap((one) => DATES.map((date) => ({ ...one, date })))
  return every === 'hours' ? HOURS.map((hours) => ({ ...USUAL, every, hours })) : times
})

test('every choice is an expression that means this choice again', () => {
  for (const choice of CHOICES) expect(timingOf(cronOf(choice)), cronOf(choice)).toEqual(choice)
})

test.each(['0 2 31 * *', '*/5 * * * *', '0 */5 * * *', '0 2 * 1 *', '60 2 * * *', '0 24 * * *', '0 2 1 * 1', 'soon'])(
  '%s is no choice',
  (cron) => expect(timingOf(cron)).toBeUndefined(),
)

describe('words', () => {
  test.each([
    ['0 2 * * *', 'Every day at 02:00', '每天 02:00'],
    ['30 9 * * 1-5', 'Every weekday at 09:30', '每个工作日 09:30'],
    ['0 9 * * 0', 'Every Sunday at 09:00', '每周日 09:00'],
    ['0 8 1 * *', 'On day 1 of every month at 08:00', '每月 1 日 08:00'],
    ['0 8 L * *', 'On the last day of every month at 08:00', '每月最后一天 08:00'],
    ['0 * * * *', 'Every hour, on the hour', '每小时整点'],
    ['0 */6 * * *', 'Every 6 hours, from midnight', '从零点起每 6 小时'],
    ['0 9 * * 1#1', 'At 09:00, on the first Monday of the month', '09:00，限每月的第一个 星期一'],
    ['not a time', 'not a time', 'not a time'],
  ])('%s', (cron, en, zh) => {
    expect([timingWords(cron, 'en'), timingWords(cron, 'zh')]).toEqual([en, zh])
  })
})
