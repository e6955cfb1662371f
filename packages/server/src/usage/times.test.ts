import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Times } from './times.ts'

test('[W11.7] percentiles are those of all times, to within a hundredth, also of sums', () => {
  const times = fc.array(fc.nat(10_000_000), { maxLength: 200 })
  fc.assert(
    fc.property(times, times, (some, others) => {
      const both = new Times()
      const second = new Times()
      for (const ms of some) both.add(ms)
      for (const ms of others) second.add(ms)
      both.take(second)
      const sorted = [...some, ...others].sort((a, b) => a - b)
      const found = both.percentiles()
      if (sorted.length === 0) expect(found).toBeNull()
      if (sorted.length === 0) return
      for (const [share, told] of [
        [0.5, found!.p50],
        [0.95, found!.p95],
      ] as const) {
        const exact = sorted[Math.ceil(sorted.length * share) - 1]!
        expect(Math.abs(told - exact)).toBeLessThanOrEqual(exact / 100 + 1)
      }
    }),
  )
})
