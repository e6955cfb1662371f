import { expect, test } from 'vitest'
import { InstanceWatch, liveOffers, startInstance } from '../../src/store/instances.ts'
import { movablePostgres } from './movable-clock.ts'

const HOUR = 3_600_000
/** Long, so that nobody renews anything by itself while a test looks. */
const LEASE_MS = 60_000

test('[D3] an instance is gone once its row stood still for a lease by the watcher’s own clock, however clocks are set', async () => {
  await using place = await movablePostgres()
  await using engine = await place.open()
  const onError = (error: unknown) => expect.unreachable(String(error))
  const offer = () => ({ models: [], tools: ['Special'] })
  let now = 0
  let told = 0
  using watch = new InstanceWatch({ engine, leaseMs: LEASE_MS, monotonicNow: () => now, onError })
  watch.onGone(() => told++)
  const lookAfter = async (ms: number) => {
    now += ms
    await watch.look()
    return [...watch.gone]
  }
  const offers = () => engine.read(() => liveOffers(watch.gone))
  await using _silent = await startInstance({ engine, id: 'silent', leaseMs: LEASE_MS, offer, onError })
  expect(await lookAfter(10 * LEASE_MS)).toEqual([])
  for (const ms of [HOUR, -HOUR, 240 * HOUR, -240 * HOUR]) {
    await place.setClock(ms)
    expect(await lookAfter(1)).toEqual([])
    expect(await offers()).toHaveLength(1)
  }
  expect(await lookAfter(LEASE_MS - 5)).toEqual([])
  expect(await lookAfter(1)).toEqual(['silent'])
  expect(await lookAfter(1)).toEqual(['silent'])
  expect(told).toBe(1)
  expect(await offers()).toEqual([])

  // A sign of life, and it is back; silent for much longer, and it is forgotten.
  await using _again = await startInstance({ engine, id: 'silent', leaseMs: LEASE_MS, offer, onError })
  expect(await lookAfter(LEASE_MS)).toEqual([])
  expect(await offers()).toHaveLength(1)
  expect(await lookAfter(10 * LEASE_MS)).toEqual(['silent'])
  expect(await lookAfter(1)).toEqual([])
  expect(await engine.select('SELECT id FROM instances', [])).toEqual([])
})
