import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { LeaseKeeper } from '../../src/store/lease-keeper.ts'
import type { Lease } from '../../src/store/gate.ts'

const LEASE_MS = 9_000
const THIRD = LEASE_MS / 3
const ours: Lease = { session_id: 'sess_1', run_id: 'chat_1', epoch: 7 }
const other: Lease = { session_id: 'sess_2', run_id: 'chat_2', epoch: 3 }

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A keeper on clocks that the test moves, the wall clock also alone, and a store that answers as told. */
function startKeeper() {
  const started = Date.now()
  const wall = { setBy: 0 }
  const now = () => ({ monotonic: Date.now() - started, wall: Date.now() + wall.setBy })
  const asked: { at: number; epochs: number[] }[] = []
  const store = { renew: async (leases: readonly Lease[]): Promise<readonly Lease[]> => leases }
  const keeper = new LeaseKeeper({
    leaseMs: LEASE_MS,
    now,
    renew: (leases) => {
      asked.push({ at: now().monotonic, epochs: leases.map(({ epoch }) => epoch) })
      return store.renew(leases)
    },
  })
  return { keeper, store, now, asked, wall }
}

test('[D3] renews all leases together every third of the lease, and they stay fresh', async () => {
  const { keeper, now, asked } = startKeeper()
  const signals = [keeper.hold(ours, now()), keeper.hold(other, now())]
  for (let third = 1; third <= 30; third++) {
    await vi.advanceTimersByTimeAsync(THIRD)
    expect(keeper.isHeld(ours) && keeper.isHeld(other)).toBe(true)
  }
  expect(asked).toEqual(Array.from({ length: 30 }, (_, index) => ({ at: (index + 1) * THIRD, epochs: [7, 3] })))
  expect(signals.some(({ aborted }) => aborted)).toBe(false)
})

test('[D3] aborts the run whose renewal is refused, and no other', async () => {
  const { keeper, store, now } = startKeeper()
  const [lost, kept] = [keeper.hold(ours, now()), keeper.hold(other, now())]
  store.renew = async () => [other, { ...ours, epoch: 8 }] // somebody else holds ours, under a later epoch
  await vi.advanceTimersByTimeAsync(THIRD)
  expect(lost.aborted).toBe(true)
  expect(lost.reason).toMatch(/taken the run over/)
  expect(keeper.isHeld(ours)).toBe(false)
  expect(kept.aborted).toBe(false)
  expect(keeper.isHeld(other)).toBe(true)
})

test.each([
  ['fail', () => Promise.reject(new Error('out of reach'))],
  ['never answer', () => new Promise<never>(() => undefined)],
])(
  '[D3] aborts by itself at lease − 2 s when renewals %s, counted from when the last good one was sent',
  async (_how, renew) => {
    const { keeper, store, now } = startKeeper()
    const signal = keeper.hold(ours, now())
    await vi.advanceTimersByTimeAsync(THIRD) // the last good one is sent here
    store.renew = renew
    await vi.advanceTimersByTimeAsync(LEASE_MS - 2_000)
    expect(signal.aborted).toBe(false)
    expect(keeper.isHeld(ours)).toBe(true)
    await vi.advanceTimersByTimeAsync(1)
    expect(keeper.isHeld(ours)).toBe(false)
    // Well before the lease ends in the database, and another instance may start.
    await vi.advanceTimersByTimeAsync(500)
    expect(signal.aborted).toBe(true)
    expect(signal.reason).toMatch(/could not be renewed/)
  },
)

test('[D3] an answer counts from when its question was sent, not from when it came', async () => {
  const { keeper, store, now } = startKeeper()
  keeper.hold(ours, now())
  store.renew = (leases) => new Promise((resolve) => setTimeout(() => resolve(leases), THIRD))
  await vi.advanceTimersByTimeAsync(THIRD) // sent here, answered a third later
  store.renew = () => Promise.reject(new Error('out of reach'))
  await vi.advanceTimersByTimeAsync(THIRD)
  await vi.advanceTimersByTimeAsync(LEASE_MS - 2_000 - THIRD)
  expect(keeper.isHeld(ours)).toBe(true)
  await vi.advanceTimersByTimeAsync(1)
  expect(keeper.isHeld(ours)).toBe(false)
})

test('[D3] a claim counts from when it was sent, too', () => {
  const { keeper, now } = startKeeper()
  keeper.hold(ours, { ...now(), monotonic: now().monotonic - (LEASE_MS - 2_000) - 1 })
  expect(keeper.isHeld(ours)).toBe(false)
})

test('[D3] a frozen owner finds its lease stale the moment it wakes, before any timer has run', () => {
  let now = { monotonic: 0, wall: 0 }
  using keeper = new LeaseKeeper({ leaseMs: LEASE_MS, now: () => now, renew: async (leases) => leases })
  const signal = keeper.hold(ours, now)
  expect(keeper.isHeld(ours)).toBe(true)
  now = { monotonic: LEASE_MS - 1, wall: LEASE_MS - 1 }
  expect(keeper.isHeld(ours)).toBe(false)
  expect(signal.aborted).toBe(true)
})

const HOUR = 3_600_000
const JUMPS = [HOUR, -HOUR, 240 * HOUR, -240 * HOUR, LEASE_MS, -LEASE_MS, 1_000, -1_000]

test.each(JUMPS)('[D3] a wall clock set by %i ms, again and again, costs no lease', async (ms) => {
  const { keeper, now, wall } = startKeeper()
  const signal = keeper.hold(ours, now())
  for (let time = 1; time <= 40; time++) {
    wall.setBy += ms
    expect(await keeper.mayAct(ours)).toBe(true)
    await vi.advanceTimersByTimeAsync(777)
  }
  expect(signal.aborted).toBe(false)
})

test('[D3] an owner that slept with its machine asks before it acts, and stops when it was replaced', async () => {
  const { keeper, store, now, asked, wall } = startKeeper()
  const signal = keeper.hold(ours, now())
  store.renew = async () => []
  wall.setBy = 8 * HOUR // the monotonic clock has slept, too
  expect(await keeper.mayAct(ours)).toBe(false)
  expect(asked).toHaveLength(1)
  expect(signal.reason).toMatch(/taken the run over/)
})

test('[D3] one that does nothing after its sleep is stopped as well', async () => {
  const { keeper, store, now, wall } = startKeeper()
  const signal = keeper.hold(ours, now())
  store.renew = async () => []
  wall.setBy = 8 * HOUR
  await vi.advanceTimersByTimeAsync(250)
  expect(signal.aborted).toBe(true)
})

test.each([
  ['fails', () => Promise.reject(new Error('out of reach'))],
  ['does not answer', () => new Promise<never>(() => undefined)],
])('[D3] where the store %s, the clock that moved further is believed', async (_how, renew) => {
  const { keeper, store, now, wall } = startKeeper()
  const signal = keeper.hold(ours, now())
  store.renew = renew
  wall.setBy = LEASE_MS
  const mayAct = keeper.mayAct(ours)
  await vi.advanceTimersByTimeAsync(2_000)
  expect(await mayAct).toBe(false)
  expect(signal.reason).toMatch(/could not be renewed/)
})

test('[D3] a clock that jumps again while the store is asked costs no lease either', async () => {
  const { keeper, store, now, wall } = startKeeper()
  const signal = keeper.hold(ours, now())
  wall.setBy = HOUR
  store.renew = async (leases) => {
    if (wall.setBy < 4 * HOUR) wall.setBy += HOUR
    return leases
  }
  expect(await keeper.mayAct(ours)).toBe(true)
  expect(signal.aborted).toBe(false)
})

test('[D3] a lost lease does not come back with a late answer', async () => {
  const { keeper, store, now } = startKeeper()
  const signal = keeper.hold(ours, now())
  let answer: (leases: readonly Lease[]) => void = () => undefined
  store.renew = () => new Promise((resolve) => (answer = resolve))
  await vi.advanceTimersByTimeAsync(LEASE_MS)
  expect(signal.aborted).toBe(true)
  answer([ours])
  await vi.advanceTimersByTimeAsync(1)
  expect(keeper.isHeld(ours)).toBe(false)
})

test('[D3] a released lease is neither fresh nor renewed; releasing an older epoch leaves the newer one', async () => {
  const { keeper, now, asked } = startKeeper()
  keeper.hold(ours, now())
  keeper.release({ ...ours, epoch: 6 })
  expect(keeper.isHeld(ours)).toBe(true)
  expect(keeper.isHeld({ ...ours, epoch: 6 })).toBe(false)
  keeper.release(ours)
  expect(keeper.isHeld(ours)).toBe(false)
  await vi.advanceTimersByTimeAsync(LEASE_MS)
  expect(asked).toEqual([])
})

test('[D3] a run that ended while its renewal was on its way is not aborted by the answer', async () => {
  const { keeper, store, now } = startKeeper()
  const signal = keeper.hold(ours, now())
  let answer: (leases: readonly Lease[]) => void = () => undefined
  store.renew = () => new Promise((resolve) => (answer = resolve))
  await vi.advanceTimersByTimeAsync(THIRD)
  keeper.release(ours)
  answer([])
  await vi.advanceTimersByTimeAsync(1)
  expect(signal.aborted).toBe(false)
})

test('[D3] a renewal that is never answered does not keep later ones from being sent, nor do answers in the wrong order age a lease', async () => {
  const { keeper, store, now } = startKeeper()
  keeper.hold(ours, now())
  const answers: (() => void)[] = []
  store.renew = (leases) => new Promise((resolve) => answers.push(() => resolve(leases)))
  await vi.advanceTimersByTimeAsync(2 * THIRD)
  expect(answers).toHaveLength(2)
  for (const answer of answers.reverse()) answer()
  await vi.advanceTimersByTimeAsync(LEASE_MS - 2_000)
  expect(keeper.isHeld(ours)).toBe(true)
})

test('a keeper that is disposed of asks no more', async () => {
  const { keeper, now, asked } = startKeeper()
  keeper.hold(ours, now())
  keeper[Symbol.dispose]()
  await vi.advanceTimersByTimeAsync(LEASE_MS)
  expect(asked).toEqual([])
  expect(vi.getTimerCount()).toBe(0)
})
