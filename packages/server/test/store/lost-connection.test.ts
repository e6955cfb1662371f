import pg from 'pg'
import { expect, test, vi } from 'vitest'
import { appendEvents } from '../../src/store/append.ts'
import type { Engine } from '../../src/store/engine.ts'
import { runSql, type Work } from '../../src/store/work.ts'
import { journalOf, newSession, oneTo, running, seize, stored, structural, textOf } from './fixtures.ts'
import { postgresPlace, proxied } from './place.ts'

/** In every request of a group append. */
const GROUP = 'append SKIP LOCKED'

test('[D2.5] a group whose connection is cut right after its commit is stored once and acknowledged', async () => {
  await using place = await postgresPlace()
  await using way = await proxied(place)
  await using engine = await place.open({ at: way.at })
  const journal = journalOf(engine)
  const leases = await Promise.all(oneTo(20).map(() => running(engine)))
  const swallowed = way.proxy.swallowAnswerTo(GROUP)
  const appends = leases.map(({ session_id, epoch }) =>
    journal.append(session_id, epoch, [structural('a'), structural('b')]),
  )
  await swallowed
  for (const appended of await Promise.all(appends)) expect(appended).toMatchObject({ head: 2, stop_requested: false })
  for (const { session_id } of leases) expect((await stored(engine, session_id)).map(textOf)).toEqual(['a', 'b'])
  await journal.append(leases[0]!.session_id, leases[0]!.epoch, [structural('c')])
  expect((await stored(engine, leases[0]!.session_id)).map(textOf)).toEqual(['a', 'b', 'c'])
})

test.each([
  ['a notice', null],
  ['an append under an epoch', 'its own'],
] as const)(
  '[D2.5] %s whose connection is cut right after its commit is found again behind another one’s notice',
  async (_name, whose) => {
    await using place = await postgresPlace()
    await using way = await proxied(place)
    await using engine = await place.open({ at: way.at })
    await using other = await place.open()
    const { session_id, epoch } = await running(engine)
    const journal = journalOf(engine)
    await journal.append(session_id, epoch, [structural('before')])

    way.proxy.refuse(true)
    const swallowed = way.proxy.swallowAnswerTo(GROUP)
    const cutOff = journal.append(session_id, whose && epoch, [structural('cut off'), structural('too')])
    await swallowed
    await journalOf(other).append(session_id, null, [structural('in between')])
    way.proxy.refuse(false)
    expect(await cutOff).toMatchObject({ head: 3 })
    await journal.append(session_id, epoch, [structural('after')])
    expect((await stored(engine, session_id)).map(textOf)).toEqual(['before', 'cut off', 'too', 'in between', 'after'])
  },
)

test('[D2.5] an append whose connection is cut before it arrives is sent again', async () => {
  await using place = await postgresPlace()
  await using way = await proxied(place)
  await using engine = await place.open({ at: way.at })
  const { session_id, epoch } = await running(engine)
  way.proxy.dropRequest(GROUP)
  expect(await journalOf(engine).append(session_id, epoch, [structural('a')])).toMatchObject({ head: 1 })
  expect((await stored(engine, session_id)).map(textOf)).toEqual(['a'])
})

test('[D2.2] an append cut off before it arrives is fenced when another owner takes over meanwhile', async () => {
  await using place = await postgresPlace()
  await using way = await proxied(place)
  await using engine = await place.open({ at: way.at })
  await using other = await place.open()
  const lease = await running(engine)
  await journalOf(engine).append(lease.session_id, lease.epoch, [structural('before')])
  way.proxy.refuse(true)
  way.proxy.dropRequest(GROUP)
  const late = journalOf(engine).append(lease.session_id, lease.epoch, [structural('late')])
  const taken = (await seize(other, lease, 'two'))!
  way.proxy.refuse(false)
  await expect(late).rejects.toMatchObject({ code: 'fenced' })
  await journalOf(other).append(lease.session_id, taken.epoch, [structural('theirs')])
  expect((await stored(other, lease.session_id)).map(textOf)).toEqual(['before', 'theirs'])
})

test.each([
  ['a notice', null],
  ['an append under an epoch', 'its own'],
] as const)(
  '[D2.5] %s whose connection is cut while it waits for the gate row is stored once',
  async (_name, whose) => {
    await using place = await postgresPlace()
    await using way = await proxied(place)
    await using engine = await place.open({ at: way.at })
    const { session_id, epoch } = await running(engine)
    const stranger = new pg.Client(place.at)
    await stranger.connect()
    await stranger.query('BEGIN')
    await stranger.query('SELECT 1 FROM gates WHERE session_id = $1 FOR UPDATE', [session_id])
    const waiting = journalOf(engine).append(session_id, whose && epoch, [structural('once')])
    await vi.waitFor(async () => expect(await waitingForALock(place.at)).toBe(1), { timeout: 45_000 })
    // The server does not notice: the first try still waits there when the second one comes.
    way.proxy.cut()
    await vi.waitFor(async () => expect(await waitingForALock(place.at)).toBe(2), { timeout: 45_000 })
    await stranger.query('COMMIT')
    await stranger.end()
    expect(await waiting).toMatchObject({ head: 1 })
    expect((await stored(engine, session_id)).map(textOf)).toEqual(['once'])
  },
)

test('[D2.5] a write whose connection is cut right after its commit is confirmed, not repeated', async () => {
  await using place = await postgresPlace()
  await using way = await proxied(place)
  await using engine = await place.open({ at: way.at })
  const { runs, write } = countedWrite(engine)
  const swallowed = way.proxy.swallowAnswerTo('COMMIT')
  const [value] = await Promise.all([write({ confirmed: true }), swallowed])
  expect(value).toBe('found')
  expect(runs()).toBe(1)
  expect(await auditRows(engine)).toBe(1)
})

test('[D2.5] a write whose commit never arrived is run again', async () => {
  await using place = await postgresPlace()
  await using way = await proxied(place)
  await using engine = await place.open({ at: way.at })
  const { runs, write } = countedWrite(engine)
  way.proxy.dropRequest('COMMIT')
  expect(await write({ confirmed: true })).toBe('written')
  expect(runs()).toBe(2)
  expect(await auditRows(engine)).toBe(1)
})

test('[D2.5] a write cut off before its commit is run again, also without a way to confirm', async () => {
  await using place = await postgresPlace()
  await using way = await proxied(place)
  await using engine = await place.open({ at: way.at })
  const { runs, write } = countedWrite(engine)
  way.proxy.dropRequest('INSERT INTO audit')
  expect(await write({ confirmed: false })).toBe('written')
  expect(runs()).toBe(2)
  expect(await auditRows(engine)).toBe(1)
})

test('[D2.5] without a way to confirm, a commit of unknown outcome says so and is not repeated', async () => {
  await using place = await postgresPlace()
  await using way = await proxied(place)
  await using engine = await place.open({ at: way.at })
  const { runs, write } = countedWrite(engine)
  const swallowed = way.proxy.swallowAnswerTo('COMMIT')
  await expect(write({ confirmed: false })).rejects.toMatchObject({ code: 'commit_unknown' })
  await swallowed
  expect(runs()).toBe(1)
  expect(await auditRows(engine)).toBe(1)
})

test('[D2.5] a commit that cannot be asked about stays unknown: nobody is told that nothing was written', async () => {
  await using place = await postgresPlace()
  await using way = await proxied(place)
  await using engine = await place.open({ at: way.at })
  const { write } = countedWrite(engine)
  expect(await auditRows(engine)).toBe(0)
  way.proxy.refuse(true)
  const swallowed = way.proxy.swallowAnswerTo('COMMIT')
  const writing = write({ confirmed: true }).catch((error: unknown) => error)
  await swallowed
  expect(await writing).toMatchObject({ code: 'commit_unknown' })
  way.proxy.refuse(false)
  expect(await auditRows(engine)).toBe(1)
})

test('[D2.5] an append that cannot be stored for a whole lease stays unknown, and later ones go through', async () => {
  await using place = await postgresPlace()
  await using way = await proxied(place)
  await using engine = await place.open({ at: way.at, leaseMs: 600 })
  const { session_id, epoch } = await running(engine)
  const journal = journalOf(engine)
  await journal.append(session_id, epoch, [structural('before')])
  way.proxy.refuse(true)
  const swallowed = way.proxy.swallowAnswerTo(GROUP)
  const unknown = journal
    .append(session_id, epoch, [structural('stored, but who knows')])
    .catch((error: unknown) => error)
  await swallowed
  expect(await unknown).toMatchObject({ code: 'commit_unknown' })
  way.proxy.refuse(false)
  expect(await journal.append(session_id, epoch, [structural('after')])).toMatchObject({ head: 3 })
})

test('[D3] a network that swallows everything is noticed within a lease, and work goes on over a new connection', async () => {
  await using place = await postgresPlace()
  await using way = await proxied(place)
  await using engine = await place.open({ at: way.at, leaseMs: 600 })
  const { session_id, epoch } = await running(engine)
  const journal = journalOf(engine)
  await journal.append(session_id, epoch, [structural('before')])
  way.proxy.silence()
  await journal.append(session_id, epoch, [structural('after')])
  way.proxy.silence()
  await engine.write(() => runSql(`INSERT INTO audit (at, actor, action, subject) VALUES (1, 'me', 'once', 'x')`, []))
  way.proxy.silence()
  expect((await stored(engine, session_id)).map(textOf)).toEqual(['before', 'after'])
  expect(await auditRows(engine)).toBe(1)
})

test('[D6] a read survives its connection', async () => {
  await using place = await postgresPlace()
  await using way = await proxied(place)
  await using engine = await place.open({ at: way.at })
  const session = await newSession(engine)
  way.proxy.dropRequest('SELECT head, run_id FROM gates')
  expect(await journalOf(engine).snapshot(session)).toMatchObject({ head: 0 })
  way.proxy.dropRequest('SELECT 42 AS answer')
  expect(await engine.select('SELECT 42 AS answer', [])).toEqual([{ answer: 42 }])
})

test('[D2.5] a work that appends and is cut after its commit is confirmed by what it wrote', async () => {
  await using place = await postgresPlace()
  await using way = await proxied(place)
  await using engine = await place.open({ at: way.at })
  const session = await newSession(engine)
  const append = journalOf(engine).appending(session, null, [structural('once')])
  const swallowed = way.proxy.swallowAnswerTo('COMMIT')
  const head = engine.write(
    function* () {
      return (yield* appendEvents(append)).head
    },
    {
      *confirm() {
        const [row] = yield* runSql<{ event_seq: number }>(
          'SELECT event_seq FROM events WHERE session_id = ? AND batch = ?',
          [session, append.batch],
        )
        return row?.event_seq
      },
    },
  )
  await swallowed
  expect(await head).toBe(1)
  expect((await stored(engine, session)).map(textOf)).toEqual(['once'])
})

/** A write that counts how often it was run and leaves one audit row each time it commits. */
function countedWrite(engine: Engine) {
  let runs = 0
  function* work(): Work<string> {
    runs += 1
    yield* runSql(`INSERT INTO audit (at, actor, action, subject) VALUES (now_ms(), 'me', 'once', 'x')`, [])
    return 'written'
  }
  function* confirm(): Work<string | undefined> {
    const rows = yield* runSql('SELECT id FROM audit', [])
    return rows.length > 0 ? 'found' : undefined
  }
  return {
    runs: () => runs,
    write: ({ confirmed }: { confirmed: boolean }) => engine.write(work, confirmed ? { confirm } : {}),
  }
}

async function auditRows(engine: Engine): Promise<number> {
  return (await engine.select('SELECT id FROM audit', [])).length
}

async function waitingForALock(at: string): Promise<number> {
  const client = new pg.Client(at)
  await client.connect()
  const { rows } = await client.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  )
  await client.end()
  return rows[0]!.n
}
