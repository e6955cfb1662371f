import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Hub } from '../../src/store/hub.ts'
import type { Batch, StoredEvent } from '../../src/store/work.ts'
import { numberOf } from './fixtures.ts'

const SESSION = 'sess_1'

test('[D2.7] what memory hands a reader is what the journal holds after its cursor, whatever order news come in', () => {
  const step = fc.record({
    by: fc.constantFrom('us', 'us, heard of later', 'another instance', 'another instance, unheard of'),
    size: fc.integer({ min: 1, max: 3 }),
    skip: fc.constantFrom(0, 0, 0, 10),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const hub = new Hub()
      using watcher = hub.watch(SESSION)
      const journal: number[] = []
      const late: Batch[] = []
      for (const { by, size, skip } of steps) {
        const batch = batchAfter((journal.at(-1) ?? 0) + skip, size)
        journal.push(...batch.events.map(numberOf))
        if (by === 'us') for (const known of [batch, ...late.splice(0)]) hub.committed(known)
        if (by === 'us, heard of later') late.push(batch)
        if (by === 'another instance') hub.hinted(SESSION, batch.head)
        for (const cursor of [0, ...journal]) {
          const fromMemory = watcher.tailAfter(cursor)?.map(numberOf)
          const fromJournal = journal.filter((number) => number > cursor)
          if (fromMemory) expect(fromMemory).toEqual(fromJournal.slice(0, fromMemory.length))
        }
      }
    }),
    { numRuns: 2_000 },
  )
})

test('[D2.7] after a lost connection, or when the session is deleted, readers look at the database, not at memory', () => {
  const hub = new Hub()
  using watcher = hub.watch(SESSION)
  hub.committed(batchAfter(0, 3))
  expect(watcher.tailAfter(3)).toEqual([])
  hub.wakeAll()
  expect(watcher.tailAfter(3)).toBeUndefined()
  hub.committed(batchAfter(3, 3))
  expect(watcher.tailAfter(6)).toEqual([])
  hub.deleted(SESSION)
  expect(watcher.tailAfter(6)).toBeUndefined()
})

test('[D2.7] memory per followed session is bounded in events and in bytes', () => {
  const hub = new Hub()
  using watcher = hub.watch(SESSION)
  for (let base = 0; base < 1_000; base += 10) hub.committed(batchAfter(base, 10))
  expect(watcher.tailAfter(1_000 - 256)).toHaveLength(256)
  expect(watcher.tailAfter(1_000 - 257)).toBeUndefined()
  for (let base = 1_000; base < 1_100; base += 1) hub.committed(batchAfter(base, 1, 'x'.repeat(50_000)))
  expect(watcher.tailAfter(1_095)).toHaveLength(5)
  expect(watcher.tailAfter(1_090)).toBeUndefined()
})

test('[D2.7] a change between looking and waiting wakes the reader', async () => {
  const hub = new Hub()
  using watcher = hub.watch(SESSION)
  const { version } = watcher
  hub.hinted(SESSION, 1)
  await watcher.changedSince(version, AbortSignal.timeout(5_000))
  expect(watcher.version).not.toBe(version)
})

function batchAfter(base: number, size: number, data = '{}'): Batch {
  const events = Array.from({ length: size }, (_, index): StoredEvent => ({
    session_id: SESSION,
    event_seq: base + 1 + index,
    at: 0,
    run_id: null,
    loop_id: null,
    turn_id: null,
    type: 'test',
    data,
  }))
  return { session_id: SESSION, base, head: base + size, events }
}
