import { startNode } from '@parley/testkit'
import { describe, expect, test, vi } from 'vitest'
import type { Engine } from '../../src/store/engine.ts'
import { beginRun, endRun, findExpired, handBack, type Lease, renew, takeOver } from '../../src/store/leases.ts'
import { journalOf, newSession, numberOf, oneTo, running, stored, structural } from './fixtures.ts'
import { places, postgresPlace, sqlitePlace } from './place.ts'

describe.each(places)('leases on %s', (_name, makePlace) => {
  test('[3] a session has one active run: a second one is refused until the first has ended', async () => {
    await using place = await makePlace()
    await using engine = await place.open()
    const lease = await running(engine)
    const begin = () => engine.write(() => beginRun(lease.session_id, 'chat_2', 'two', 10_000))
    expect(await begin()).toBeUndefined()
    await engine.write(() => endRun(lease))
    expect(await begin()).toEqual({ session_id: lease.session_id, run_id: 'chat_2', epoch: lease.epoch + 1 })
    expect(await engine.write(() => beginRun('sess_unknown', 'chat_3', 'two', 10_000))).toBeUndefined()
  })

  test('[3] a run that starts forgets the stop of the one before', async () => {
    await using place = await makePlace()
    await using engine = await place.open()
    const lease = await running(engine)
    await requestStop(engine, lease)
    expect(await journalOf(engine).append(lease.session_id, lease.epoch, [structural('x')])).toMatchObject({
      stop_requested: true,
    })
    await engine.write(() => endRun(lease))
    const next = (await engine.write(() => beginRun(lease.session_id, 'chat_2', 'one', 10_000)))!
    expect(await journalOf(engine).append(lease.session_id, next.epoch, [structural('y')])).toMatchObject({
      stop_requested: false,
    })
  })

  test('[3] an end that comes after a take-over frees nothing', async () => {
    await using place = await makePlace()
    await using engine = await place.open()
    const lease = await running(engine, { leaseMs: -1 })
    await engine.write(() => takeOver(lease, 'two', 10_000))
    await engine.write(() => endRun(lease))
    expect(await engine.write(() => beginRun(lease.session_id, 'chat_2', 'one', 10_000))).toBeUndefined()
  })

  test('[3] a renewal matches owner and epoch, not time, and says what is still ours', async () => {
    await using place = await makePlace()
    await using engine = await place.open()
    const late = await running(engine, { leaseMs: -5_000 })
    const foreign = await running(engine, { owner: 'two' })
    const replaced = await running(engine, { leaseMs: -1 })
    await engine.write(() => takeOver(replaced, 'one', 10_000)) // by ourselves, and still the old epoch is over
    const ended = await running(engine)
    await engine.write(() => endRun(ended))
    const kept = await engine.write(() => renew([late, foreign, replaced, ended], 'one', 10_000))
    expect(kept).toEqual([late])
    expect(await engine.write(() => takeOver(late, 'two', 10_000))).toBeUndefined()
    expect(await engine.write(() => renew([], 'one', 10_000))).toEqual([])
  })

  test('[3] a run can be taken over once its lease has run out, not before', async () => {
    await using place = await makePlace()
    await using engine = await place.open()
    const lease = await running(engine, { leaseMs: 60_000 })
    expect(await engine.write(() => takeOver(lease, 'two', 10_000))).toBeUndefined()
    await engine.write(() => renew([lease], 'one', 1))
    const taken = await vi.waitFor(
      async () => (await engine.write(() => takeOver(lease, 'two', 10_000))) ?? Promise.reject(new Error('not yet')),
    )
    expect(taken).toEqual({ ...lease, epoch: lease.epoch + 1 })
    expect(await engine.write(() => takeOver(lease, 'three', 10_000))).toBeUndefined()
    expect(await engine.write(() => renew([lease], 'one', 10_000))).toEqual([])
  })

  test('[3] of many that take over at once exactly one wins', async () => {
    await using place = await makePlace()
    await using engine = await place.open()
    const lease = await running(engine, { leaseMs: -1 })
    const won = await Promise.all(oneTo(8).map((n) => engine.write(() => takeOver(lease, `instance ${n}`, 10_000))))
    expect(won.filter(Boolean)).toEqual([{ ...lease, epoch: lease.epoch + 1 }])
  })

  test('[3] handing back is the last write of its epoch, and anybody can take the run over at once', async () => {
    await using place = await makePlace()
    await using engine = await place.open()
    const journal = journalOf(engine)
    const lease = await running(engine, { leaseMs: 60_000 })
    await journal.append(lease.session_id, lease.epoch, [structural('mine')])
    await engine.write(() => handBack(lease))
    await expect(journal.append(lease.session_id, lease.epoch, [structural('too late')])).rejects.toMatchObject({
      code: 'fenced',
    })
    const [offered] = await engine.read(() => findExpired(engine, 10))
    expect(offered).toMatchObject({ ...lease, epoch: lease.epoch + 1 })
    const taken = (await engine.write(() => takeOver(offered!, 'two', 10_000)))!
    await journal.append(lease.session_id, taken.epoch, [structural('theirs')])
    expect((await stored(engine, lease.session_id)).map(numberOf)).toEqual([1, 10_002])
    // A second hand-back under the old epoch takes nothing away from the new owner.
    await engine.write(() => handBack(lease))
    await journal.append(lease.session_id, taken.epoch, [structural('still theirs')])
  })

  test('[3] expired runs are offered oldest first, with what carrying them on takes; live and ended ones are not', async () => {
    await using place = await makePlace()
    await using engine = await place.open()
    const [third, first, second] = [
      await running(engine, { leaseMs: -1_000 }),
      await running(engine, { leaseMs: -90_000 }),
      await running(engine, { leaseMs: -30_000 }),
    ]
    await running(engine)
    await engine.write(() => endRun(third))
    const fourth = await running(engine, { leaseMs: -500 })
    const offered = await engine.read(() => findExpired(engine, 10))
    expect(offered).toEqual([first, second, fourth].map((lease) => ({ ...lease, needs: '{}', format: 0 })))
    expect(await engine.read(() => findExpired(engine, 1))).toMatchObject([first])
  })
})

test('[2] sqlite: at reopening every stored lease is void, and the next append skips 10 000 numbers', async () => {
  await using place = await sqlitePlace()
  let lease: Lease
  let quiet: string
  {
    await using engine = await place.open()
    lease = await running(engine, { leaseMs: 3_600_000 })
    await journalOf(engine).append(lease.session_id, lease.epoch, [structural('before')])
    quiet = await newSession(engine)
    await journalOf(engine).append(quiet, null, [structural('before')])
  }
  await using engine = await place.open()
  const journal = journalOf(engine)
  await expect(journal.append(lease.session_id, lease.epoch, [structural('ghost')])).rejects.toMatchObject({
    code: 'fenced',
  })
  expect(await engine.write(() => renew([lease], 'one', 10_000))).toEqual([])
  const [offered] = await engine.read(() => findExpired(engine, 10))
  const taken = (await engine.write(() => takeOver(offered!, 'one', 10_000)))!
  await journal.append(lease.session_id, taken.epoch, [structural('after')])
  expect((await stored(engine, lease.session_id)).map(numberOf)).toEqual([1, 10_002])
  await journal.append(quiet, null, [structural('after')])
  expect((await stored(engine, quiet)).map(numberOf)).toEqual([1, 2])
})

test('[3] postgres: two instances that take over at once: exactly one wins, and only it can write', async () => {
  await using place = await postgresPlace()
  await using one = await place.open()
  await using two = await place.open()
  for (const round of oneTo(10)) {
    const lease = await running(one, { leaseMs: -1 })
    const [byOne, byTwo] = await Promise.all([
      one.write(() => takeOver(lease, 'one', 10_000)),
      two.write(() => takeOver(lease, 'two', 10_000)),
    ])
    expect([byOne, byTwo].filter(Boolean), `round ${round}`).toHaveLength(1)
    const winner = byOne ? 'one' : 'two'
    expect(await one.select('SELECT owner FROM gates WHERE session_id = ?', [lease.session_id])).toEqual([
      { owner: winner },
    ])
  }
})

test.each([3_600_000, -3_600_000])(
  '[2] postgres: an instance whose clock is %i ms off steals no lease and keeps none too long',
  async (skewMs) => {
    await using place = await postgresPlace()
    await using engine = await place.open()
    const lease = await running(engine, { leaseMs: 60_000 })
    await using skewed = startNode(`${import.meta.dirname}/workers/skewed-instance.ts`, [
      place.at,
      String(skewMs),
      JSON.stringify(lease),
    ])
    expect((await skewed.line(/^thief (.*)/))[1]).toBe('found 0, took nothing')
    const theirs = JSON.parse((await skewed.line(/^lease (.*)/))[1]!) as Lease
    expect(await engine.write(() => takeOver(theirs, 'one', 10_000))).toMatchObject({ epoch: theirs.epoch + 1 })
  },
)

async function requestStop(engine: Engine, { session_id }: Lease): Promise<void> {
  await engine.write(function* () {
    yield {
      sql: 'UPDATE gates SET stop_requested = 1 WHERE session_id = ?',
      parameters: [session_id],
      portable: true as const,
    }
  })
}
