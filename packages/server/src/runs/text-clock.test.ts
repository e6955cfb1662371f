import { expect, test } from 'vitest'
import type { Timers } from '../store/timers.ts'
import { gatherMs, TextClock } from './text-clock.ts'

test('[D8] text gathers longer the more answers are under way and the later its moment came, and never too long', () => {
  const answers = [0, 1, 50, 100, 200, 375, 10_000]
  expect(answers.map((count) => Math.floor(gatherMs({ answers: count, lateMs: 0 })))).toEqual([
    25, 25, 35, 45, 65, 100, 100,
  ])
  expect(gatherMs({ answers: 1, lateMs: 20 })).toBeCloseTo(45.2)
  expect(gatherMs({ answers: 1, lateMs: 5_000 })).toBe(100)
})

/** Time stands still until the test moves it. */
function fakeTimers() {
  let now = 1_000
  const waiting: { at: number; work: () => void }[] = []
  const after = (ms: number, work: () => void) => {
    waiting.push({ at: now + ms, work })
    return { [Symbol.dispose]: () => undefined }
  }
  const timers = { elapsed: () => now, soon: (work: () => void) => void after(0, work), after } as unknown as Timers
  const move = (ms: number) => {
    now += ms
    for (const { work } of waiting.splice(0).filter((one) => one.at <= now || !waiting.push(one))) work()
  }
  return { timers, move }
}

test('[D8] after a silence text goes at once; then all answers share the next moment', () => {
  const { timers, move } = fakeTimers()
  const clock = new TextClock(timers)
  const gone: string[] = []
  clock.next(() => gone.push('a'))
  expect(gone).toEqual([])
  move(0)
  expect(gone).toEqual(['a'])
  clock.next(() => gone.push('a2'))
  move(10)
  clock.next(() => gone.push('b'))
  move(10)
  expect(gone).toEqual(['a'])
  move(6)
  expect(gone).toEqual(['a', 'a2', 'b'])
  move(1_000)
  clock.next(() => gone.push('later'))
  move(0)
  expect(gone.at(-1)).toBe('later')
})
