import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dayName, daysIn, lastDays, presetOf, readRange, startsOf, timesBefore, timesOf } from './range.ts'
import { ticksUpTo, timeTicksUpTo } from './ticks.ts'

const dates = fc.date({ min: new Date('2020-01-01'), max: new Date('2030-01-01'), noInvalidDate: true })

test('[G5.8] every day of a range has its place, and the range before is as long', () => {
  fc.assert(
    fc.property(dates, fc.integer({ min: 3, max: 400 }), (now, days) => {
      const range = lastDays(days, now)
      expect(daysIn(range)).toBe(days)
      const starts = startsOf(range)
      expect(starts).toHaveLength(days)
      expect(new Set(starts.map((at) => dayName(new Date(at)))).size).toBe(days)
      const { from } = timesOf(range)
      expect(starts[0]).toBe(Date.parse(from))
      const before = timesBefore(range, now)
      expect(Date.parse(before.to)).toBeLessThanOrEqual(Date.parse(from) + 3_600_000)
      expect(readRange(dayName(range.from), dayName(range.to), now)).toEqual(range)
    }),
  )
})

test('[G5.8] an address that cannot be meant is the last week', () => {
  const now = new Date(2026, 10, 18, 15)
  const week = lastDays(7, now)
  for (const [from, to] of [
    [null, null],
    ['2026-02-30', '2026-03-01'],
    ['2026-11-18', '2026-11-01'],
    ['x', ''],
  ])
    expect(readRange(from!, to!, now)).toEqual(week)
  expect(presetOf(week, now)).toBe(7)
  expect(presetOf(readRange('2026-11-01', '2026-11-07', now), now)).toBeUndefined()
  expect(startsOf(readRange('2026-11-17', '2026-11-18', now))).toHaveLength(48)
})

test('[G7.4] an axis begins at zero, has two to six lines, and reaches the largest value', () => {
  for (const ticksOf of [ticksUpTo, timeTicksUpTo])
    fc.assert(
      fc.property(fc.double({ min: 1e-6, max: 1e12, noNaN: true }), (largest) => {
        const ticks = ticksOf(largest)
        expect(ticks[0]).toBe(0)
        expect(ticks.length).toBeGreaterThanOrEqual(2)
        expect(ticks.length).toBeLessThanOrEqual(6)
        expect(ticks.at(-1)!).toBeGreaterThanOrEqual(largest * (1 - 1e-9))
        expect(new Set(ticks).size).toBe(ticks.length)
      }),
    )
  expect(ticksUpTo(412)).toEqual([0, 200, 400, 600])
  expect(ticksUpTo(0)).toEqual([0, 1])
  expect(timeTicksUpTo(90 * 60_000)).toEqual([0, 30, 60, 90].map((minutes) => minutes * 60_000))
})
