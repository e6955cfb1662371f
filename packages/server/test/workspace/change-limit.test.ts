import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ChangeLimit } from '../../src/workspace/change-limit.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Reports numbers; `null` is "many". */
function recorder() {
  const told: { session_id: string; at: number; what: number | null }[] = []
  const tell = (session_id: string, what: number | null) => told.push({ session_id, at: Date.now(), what })
  const limit = new ChangeLimit({ now: Date.now, many: (session_id) => tell(session_id, null) })
  return {
    told,
    limit,
    report: (session_id: string, what: number) => limit.report(session_id, () => tell(session_id, what)),
  }
}

test('[W6.7] changes are told one by one, up to ten a second', () => {
  const { told, report } = recorder()
  for (let n = 0; n < 10; n++) report('sess_1', n)
  vi.advanceTimersByTime(5_000)
  expect(told.map(({ what }) => what)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
})

test('[W6.7] beyond that they become one "many", told after the last of them', () => {
  const { told, report } = recorder()
  const start = Date.now()
  for (let n = 0; n < 60; n++) {
    report('sess_1', n)
    vi.advanceTimersByTime(10)
  }
  expect(told).toHaveLength(10)
  vi.advanceTimersByTime(5_000)
  expect(told).toHaveLength(11)
  expect(told.at(-1)).toEqual({ session_id: 'sess_1', at: start + 1_000, what: null })
})

test('[W6.7] no second has more than ten, however long it goes on, and every session has its own ten', () => {
  const { told, report } = recorder()
  const start = Date.now()
  for (let n = 0; n < 1_000; n++) {
    report('sess_1', n)
    if (n % 200 === 0) report('sess_2', n)
    vi.advanceTimersByTime(5)
  }
  vi.advanceTimersByTime(2_000)
  const perSecond = new Map<number, number>()
  for (const { session_id, at } of told)
    if (session_id === 'sess_1')
      perSecond.set(Math.floor((at - start) / 1_000), (perSecond.get(Math.floor((at - start) / 1_000)) ?? 0) + 1)
  expect(Math.max(...perSecond.values())).toBe(10)
  expect(told.filter(({ session_id }) => session_id === 'sess_2').map(({ what }) => what)).toEqual([
    0, 200, 400, 600, 800,
  ])
  expect(told.at(-1)?.what).toBeNull()
})

test('after its end nothing is told any more', () => {
  const { told, limit, report } = recorder()
  for (let n = 0; n < 20; n++) report('sess_1', n)
  limit[Symbol.dispose]()
  vi.advanceTimersByTime(5_000)
  expect(told).toHaveLength(10)
})
