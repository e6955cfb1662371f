import { expect, test } from 'vitest'
import { Stillness } from './stillness.ts'

const A_MINUTE_AGO = Date.now() - 60_000

function clockedStillness() {
  let now = 0
  const stillness = new Stillness({ elapsed: () => now })
  return (after: number, stamp: string, changedAt?: number) => {
    now += after
    return stillness.isStill('support', stamp, changedAt)
  }
}

test('[W12.13.3] a folder that is saved in steps is read after the last of them, and not in between', () => {
  const isStillAfter = clockedStillness()
  const steps = Array.from({ length: 20 }, (_, index) => isStillAfter(100, `step ${index}`))
  expect(steps).not.toContain(true)
  expect(isStillAfter(100, 'step 19')).toBe(false)
  expect(isStillAfter(50, 'step 19')).toBe(true)
})

test('[W12.13.3] a start does not wait for a folder that nobody has touched', () => {
  expect(clockedStillness()(0, 'old', A_MINUTE_AGO)).toBe(true)
  expect(clockedStillness()(0, 'new', Date.now())).toBe(false)
  expect(clockedStillness()(0, 'by a clock that is ahead', Date.now() + 60_000)).toBe(false)
  expect(clockedStillness()(0, 'gone')).toBe(false)
})

test('[W12.13.3] files that were put there with old dates are waited for like any', () => {
  const isStillAfter = clockedStillness()
  isStillAfter(0, 'old', A_MINUTE_AGO)
  expect(isStillAfter(1_000, 'a checkout under way', A_MINUTE_AGO)).toBe(false)
})
