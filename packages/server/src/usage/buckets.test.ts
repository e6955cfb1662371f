import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bucketsOf } from './buckets.ts'

const ZONES = ['UTC', 'Asia/Shanghai', 'Asia/Kathmandu', 'Europe/Berlin', 'America/St_Johns', 'Australia/Lord_Howe']

test('[W11.7] a bucket begins at or before its times, and all of its times have the same day', () => {
  const times = fc.date({ min: new Date('2020-01-01'), max: new Date('2030-01-01'), noInvalidDate: true })
  fc.assert(
    fc.property(fc.constantFrom(...ZONES), times, (timeZone, time) => {
      const at = time.getTime()
      const start = bucketsOf('day', timeZone).startOf(at)
      const day = (ms: number) => new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(ms)
      expect(start).toBeLessThanOrEqual(at)
      expect(day(start)).toBe(day(at))
      expect(day(start - 1)).not.toBe(day(at))
      const hour = bucketsOf('hour', timeZone).startOf(at)
      expect(at - hour).toBeGreaterThanOrEqual(0)
      expect(at - hour).toBeLessThan(3_600_000)
    }),
    { numRuns: 300 },
  )
})

test('[W11.7] the days on which clocks are set are as long as they are', () => {
  const { startOf } = bucketsOf('day', 'Europe/Berlin')
  expect(new Date(startOf(Date.parse('2026-03-29T20:00:00Z'))).toISOString()).toBe('2026-03-28T23:00:00.000Z')
  expect(new Date(startOf(Date.parse('2026-10-25T20:00:00Z'))).toISOString()).toBe('2026-10-24T22:00:00.000Z')
})

test('[W11.7] buckets follow each other without a gap, also where clocks are set', () => {
  const times = fc.date({ min: new Date('2020-01-01'), max: new Date('2030-01-01'), noInvalidDate: true })
  fc.assert(
    fc.property(
      fc.constantFrom(...ZONES),
      fc.constantFrom('hour' as const, 'day' as const),
      times,
      (zone, name, time) => {
        const buckets = bucketsOf(name, zone)
        const first = time.getTime()
        const end = first + 30 * buckets.longest
        const starts = buckets.startsFrom(first, end)
        expect(starts[0]).toBe(buckets.startOf(first))
        expect(starts.at(-1)).toBeGreaterThanOrEqual(end)
        expect(starts.at(-2)).toBeLessThan(end)
        for (const [index, start] of starts.entries()) {
          expect(buckets.startOf(start)).toBe(start)
          if (index > 0) expect(buckets.startOf(start - 1)).toBe(starts[index - 1])
        }
      },
    ),
    { numRuns: 100 },
  )
})
