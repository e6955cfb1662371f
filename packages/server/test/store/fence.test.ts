import { type NodeProcess, startNode } from '@parley/testkit'
import { expect, test, vi } from 'vitest'
import type { Engine } from '../../src/store/engine.ts'
import type { Lease } from '../../src/store/gate.ts'
import { journalOf, newSession, numberOf, seize, stored, structural, textOf } from './fixtures.ts'
import { postgresPlace } from './place.ts'

const LEASE_MS = 1_500
const sleepyOwner = `${import.meta.dirname}/workers/sleepy-owner.ts`

test('[D2.2] an owner that wakes between the take-over and the new owner’s first append writes nothing', async () => {
  await using place = await postgresPlace()
  await using engine = await place.open()
  await using owner = startNode(sleepyOwner, [place.at, 'between appends', String(LEASE_MS)])
  const lease = await leaseOf(owner)
  await owner.frozen()
  const taken = await vi.waitFor(() => takenOver(engine, lease), { timeout: 45_000 })

  owner.signal('SIGCONT')
  expect((await owner.line(/^outcome (.*)/))[1]).toBe('fenced')
  await journalOf(engine).append(lease.session_id, taken.epoch, [structural('carried on')])
  const events = await stored(engine, lease.session_id)
  expect(events.map(textOf)).toEqual(['before the sleep', 'carried on'])
  expect(events.map(numberOf)).toEqual([1, 10_002])
})

test('[D2] an owner frozen inside a transaction is cut off by the database after lease / 3, and writes nothing when it wakes', async () => {
  await using place = await postgresPlace()
  await using engine = await place.open()
  const journal = journalOf(engine)
  await using owner = startNode(sleepyOwner, [place.at, 'inside an append', String(LEASE_MS)])
  const lease = await leaseOf(owner)
  await owner.frozen()
  // The sleeper holds the gate row of its session: a notice waits there, and nowhere else.
  const notice = journal.append(lease.session_id, null, [structural('a notice')])
  await journal.append(await newSession(engine), null, [structural('elsewhere')])
  await notice
  const taken = await vi.waitFor(() => takenOver(engine, lease), { timeout: 45_000 })
  await journal.append(lease.session_id, taken.epoch, [structural('carried on')])

  owner.signal('SIGCONT')
  expect((await owner.line(/^outcome (.*)/))[1]).toBe('fenced')
  expect(await owner.exited).toBe(0)
  expect((await stored(engine, lease.session_id)).map(textOf)).toEqual(['before the sleep', 'a notice', 'carried on'])
})

async function leaseOf(owner: NodeProcess): Promise<Lease> {
  return JSON.parse((await owner.line(/^lease (.*)/))[1]!) as Lease
}

async function takenOver(engine: Engine, lease: Lease): Promise<Lease> {
  const taken = await seize(engine, lease, 'other')
  if (!taken) throw new Error('the lease has not run out yet')
  return taken
}
