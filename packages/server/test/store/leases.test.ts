import { describe, expect, test } from 'vitest'
import type { Engine } from '../../src/store/engine.ts'
import { beginRun, endRun, handBack, type Lease, readLeases, renew, takeOver } from '../../src/store/gate.ts'
import { journalOf, newSession, numberOf, oneTo, running, seen, seize, stored, structural } from './fixtures.ts'
import { places, postgresPlace, sqlitePlace } from './place.ts'

describe.each(places)('leases on %s', (_name, makePlace) => {
  test('[D3] a session has one active run: a second one is refused until the first has ended', async () => {
    await using place = await makePlace()
    await using engine = await place.open()
    const lease = await running(engine)
    const begin = () => engine.write(() => beginRun({ session_id: lease.session_id, run_id: 'chat_2' }, 'two', 10_000))
    expect(await begin()).toBeUndefined()
    await engine.write(() => endRun(lease))
    expect(await begin()).toEqual({ session_id: lease.session_id, run_id: 'chat_2', epoch: lease.epoch + 1 })
    expect(
      await engine.write(() => beginRun({ session_id: 'sess_unknown', run_id: 'chat_3' }, 'two', 10_000)),
    ).toBeUndefined()
  })

  test('[D3] a run that starts forgets the stop of the one before', async () => {
    await using place = await makePlace()
    await using engine = await place.open()
    const lease = await running(engine)
    await requestStop(engine, lease)
    expect(await journalOf(engine).append(lease.session_id, lease.epoch, [structural('x')])).toMatchObject({
      stop_requested: true,
    })
    await engine.write(() => endRun(lease))
    const next = (await engine.write(() =>
      beginRun({ session_id: lease.session_id, run_id: 'chat_2' }, 'one', 10_000),
    ))!
    expect(await journalOf(engine).append(lease.session_id, next.epoch, [structural('y')])).toMatchObject({
      stop_requested: false,
    })
  })

  test('[D3] an end that comes after a take-over frees nothing', async () => {
    await using place = await makePlace()
    await using engine = await place.open()
    const lease = await running(engine)
    await seize(engine, lease, 'two')
    await engine.write(() => endRun(lease))
    expect(
      await engine.write(() => beginRun({ session_id: lease.session_id, run_id: 'chat_2' }, 'one', 10_000)),
    ).toBeUndefined()
  })

  test('[D3] a renewal matches owner and epoch, not time, and says what is still ours', async () => {
    await using place = await makePlace()
    await using engine = await place.open()
    const late = await running(engine, { leaseMs: -5_000 })
    const foreign = await running(engine, { owner: 'two' })
    const replaced = await running(engine)
    await seize(engine, replaced, 'one') // by ourselves, and still the old epoch is over
    const ended = await running(engine)
    await engine.write(() => endRun(ended))
    const before = (await seen(engine, late))!
    const kept = await engine.write(() => renew([late, foreign, replaced, ended], 'one', 10_000))
    expect(kept).toEqual([late])
    expect(await engine.write(() => takeOver(before, 'two', 10_000))).toBeUndefined()
    expect(await engine.write(() => renew([], 'one', 10_000))).toEqual([])
  })

  test.each([3_600_000, -3_600_000])(
    '[D3] a take-over asks no clock: it wins over the lease that was seen, %i ms from its end, and over none renewed since',
    async (leaseMs) => {
      await using place = await makePlace()
      await using engine = await place.open()
      const lease = await running(engine, { leaseMs })
      const before = (await seen(engine, lease))!
      await engine.write(() => renew([lease], 'one', leaseMs + 1))
      expect(await engine.write(() => takeOver(before, 'two', 10_000))).toBeUndefined()
      expect(await seize(engine, lease, 'two')).toEqual({ ...lease, epoch: lease.epoch + 1 })
      expect(await seize(engine, lease, 'three')).toBeUndefined()
      expect(await engine.write(() => renew([lease], 'one', 10_000))).toEqual([])
    },
  )

  test('[D3] of many that take over at once exactly one wins', async () => {
    await using place = await makePlace()
    await using engine = await place.open()
    const lease = await running(engine)
    const as = (await seen(engine, lease))!
    const won = await Promise.all(oneTo(8).map((n) => engine.write(() => takeOver(as, `instance ${n}`, 10_000))))
    expect(won.filter(Boolean)).toEqual([{ ...lease, epoch: lease.epoch + 1 }])
  })

  test('[D3] handing back is the last write of its epoch, and anybody can take the run over at once', async () => {
    await using place = await makePlace()
    await using engine = await place.open()
    const journal = journalOf(engine)
    const lease = await running(engine, { leaseMs: 60_000 })
    await journal.append(lease.session_id, lease.epoch, [structural('mine')])
    await engine.write(() => handBack(lease))
    await expect(journal.append(lease.session_id, lease.epoch, [structural('too late')])).rejects.toMatchObject({
      code: 'fenced',
    })
    const [offered] = await readLeases(engine)
    expect(offered).toEqual({ ...lease, epoch: lease.epoch + 1, owner: null, lease_until: 0 })
    const taken = (await seize(engine, offered!, 'two'))!
    await journal.append(lease.session_id, taken.epoch, [structural('theirs')])
    expect((await stored(engine, lease.session_id)).map(numberOf)).toEqual([1, 10_002])
    // A second hand-back under the old epoch takes nothing away from the new owner.
    await engine.write(() => handBack(lease))
    await journal.append(lease.session_id, taken.epoch, [structural('still theirs')])
  })

  test('[D3] the leases of all active runs can be seen, longest not renewed first; those of ended runs are not', async () => {
    await using place = await makePlace()
    await using engine = await place.open()
    const [third, first, second] = [
      await running(engine, { leaseMs: -1_000 }),
      await running(engine, { leaseMs: -90_000 }),
      await running(engine, { leaseMs: -30_000 }),
    ]
    const fourth = await running(engine, { owner: 'two' })
    await engine.write(() => endRun(third))
    const leases = await readLeases(engine)
    expect(leases).toMatchObject([
      { ...first, owner: 'one' },
      { ...second, owner: 'one' },
      { ...fourth, owner: 'two' },
    ])
  })
})

test('[D2] sqlite: at reopening every stored lease is void, and the next append skips 10 000 numbers', async () => {
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
  const [offered] = await readLeases(engine)
  expect(offered).toMatchObject({ owner: null, lease_until: 0 })
  const taken = (await seize(engine, offered!, 'one'))!
  await journal.append(lease.session_id, taken.epoch, [structural('after')])
  expect((await stored(engine, lease.session_id)).map(numberOf)).toEqual([1, 10_002])
  await journal.append(quiet, null, [structural('after')])
  expect((await stored(engine, quiet)).map(numberOf)).toEqual([1, 2])
})

test('[D3] postgres: two instances that take over at once: exactly one wins, and only it can write', async () => {
  await using place = await postgresPlace()
  await using one = await place.open()
  await using two = await place.open()
  for (const round of oneTo(10)) {
    const lease = await running(one)
    const as = (await seen(one, lease))!
    const [byOne, byTwo] = await Promise.all([
      one.write(() => takeOver(as, 'one', 10_000)),
      two.write(() => takeOver(as, 'two', 10_000)),
    ])
    expect([byOne, byTwo].filter(Boolean), `round ${round}`).toHaveLength(1)
    const winner = byOne ? 'one' : 'two'
    expect(await one.select('SELECT owner FROM gates WHERE session_id = ?', [lease.session_id])).toEqual([
      { owner: winner },
    ])
  }
})

async function requestStop(engine: Engine, { session_id }: Lease): Promise<void> {
  await engine.write(function* () {
    yield {
      sql: 'UPDATE gates SET stop_requested = 1 WHERE session_id = ?',
      parameters: [session_id],
      portable: true as const,
    }
  })
}
