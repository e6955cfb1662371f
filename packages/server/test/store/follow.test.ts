import { once } from 'node:events'
import { startNode } from '@parley/testkit'
import pg from 'pg'
import { expect, test, vi } from 'vitest'
import type { Engine } from '../../src/store/engine.ts'
import { deleteSessionRows } from '../../src/store/session-rows.ts'
import type { StoredEvent } from '../../src/store/work.ts'
import { collect, journalOf, newSession, oneTo, stored, structural, textOf } from './fixtures.ts'
import { administer, places, postgresPlace, proxied } from './place.ts'

const NEVER_MS = 3_600_000
const EACH = 150
const LAST_WORDS = 20

test('[D2.7] readers follow three processes that write at once without a gap or a repeat, by hints alone', async () => {
  await using place = await postgresPlace()
  await using engine = await place.open({ pollMs: NEVER_MS })
  await expectEverythingOnce(engine, place.at, () => undefined)
})

test('[D2.7] … also while the connection that brings the hints is cut again and again', async () => {
  await using place = await postgresPlace()
  await using way = await proxied(place)
  await using engine = await place.open({ at: way.at })
  let cuts = 0
  await expectEverythingOnce(engine, place.at, (seen) => {
    if (seen < cuts * 40) return
    cuts += 1
    way.proxy.cut('LISTEN')
  })
  expect(cuts).toBeGreaterThan(5)
})

test('[D2.7] … also where LISTEN is impossible: the poll finds what no hint tells', async () => {
  await using place = await postgresPlace()
  await using way = await proxied(place)
  way.proxy.dropRequest('LISTEN', Infinity)
  await using engine = await place.open({ at: way.at, pollMs: NEVER_MS })
  await expectEverythingOnce(engine, place.at, () => undefined)
})

test('[D2.7] what was written while the hint connection was away is found when it is back, without waiting for the poll', async () => {
  await using place = await postgresPlace()
  await using way = await proxied(place)
  await using engine = await place.open({ at: way.at, pollMs: NEVER_MS })
  await using other = await place.open()
  const session = await newSession(other)
  const reading = journalOf(engine).follow(session, { since: 0, signal: AbortSignal.timeout(45_000) })
  const first = reading.next()
  await journalOf(engine).append(session, null, [structural('ours')])
  expect((await first).value!.map(textOf)).toEqual(['ours'])

  const next = reading.next()
  way.proxy.refuse(true)
  way.proxy.cut('LISTEN')
  await journalOf(other).append(session, null, [structural('theirs, unheard')])
  // Its hint has gone out, to nobody, when a later one of the same sender arrives elsewhere.
  await heardBy(place.at, () => journalOf(other).append(session, null, [structural('and another')]))
  way.proxy.refuse(false)
  expect((await next).value!.map(textOf)).toEqual(['theirs, unheard', 'and another'])
})

test('[D2.7] an event stored while a reader looks, too late for that look, is not left lying until the next one', async () => {
  await using place = await postgresPlace()
  await using way = await proxied(place)
  await using engine = await place.open({ at: way.at })
  const session = await newSession(engine)
  const answer = way.proxy.holdAnswerTo('LEFT JOIN')
  const reading = collect(journalOf(engine).follow(session, { since: 0, signal: AbortSignal.timeout(45_000) }), 1)
  const release = await answer
  await journalOf(engine).append(session, null, [structural('in between')])
  release()
  expect((await reading).map(textOf)).toEqual(['in between'])
})

test('[D2.7] a hint that is no hint harms nobody', async () => {
  await using place = await postgresPlace()
  await using engine = await place.open({ pollMs: NEVER_MS })
  await using other = await place.open()
  const session = await newSession(engine)
  const reading = collect(journalOf(engine).follow(session, { since: 0, signal: AbortSignal.timeout(45_000) }), 1)
  for (const nonsense of ['', 'nonsense', '{"a":1}', 'null', '[1,[2]]'])
    await administer(place.at, `NOTIFY parley_hints, '${nonsense}'`)
  await journalOf(other).append(session, null, [structural('real')])
  expect((await reading).map(textOf)).toEqual(['real'])
})

test('an engine that is closed while its hint connection comes back leaves no connection behind', async () => {
  await using place = await postgresPlace()
  await using way = await proxied(place)
  const engine = await place.open({ at: way.at })
  const answer = way.proxy.holdAnswerTo('LISTEN')
  way.proxy.cut('LISTEN')
  const release = await answer
  await engine[Symbol.asyncDispose]()
  release()
  await vi.waitFor(async () => expect(await connectionsTo(place.at)).toBe(0), { timeout: 45_000 })
})

test('[D6] a session deleted on one instance ends its readers on the other', async () => {
  await using place = await postgresPlace()
  await using engine = await place.open()
  await using other = await place.open()
  const session = await newSession(engine)
  const reading = collect(journalOf(engine).follow(session, { since: 0, signal: AbortSignal.timeout(45_000) }), 100)
  await journalOf(engine).append(session, null, [structural('last words')])
  await other.write(() => deleteSessionRows(other, session, []))
  expect((await reading).map(textOf)).toEqual(['last words'])
})

test.each(places)(
  '[D2.7] on %s a reader that stops costs nothing more: its place is given back',
  async (_name, makePlace) => {
    await using place = await makePlace()
    await using engine = await place.open()
    const session = await newSession(engine)
    const stop = new AbortController()
    const aborted = collect(journalOf(engine).follow(session, { since: 0, signal: stop.signal }), 100)
    const left = journalOf(engine).follow(session, { since: 0, signal: AbortSignal.timeout(45_000) })
    const first = left.next()
    await journalOf(engine).append(session, null, [structural('x')])
    await first
    expect(engine.hub.followedSessions()).toEqual([session])
    await left.return(undefined)
    stop.abort()
    expect(await aborted).toHaveLength(1)
    expect(engine.hub.followedSessions()).toEqual([])
  },
)

/**
 * Two processes and this one write to one session; one reader here is fast, one pauses between pages. A third process
 * has the last word, so that nothing this process does can be what wakes the readers for it.
 */
async function expectEverythingOnce(engine: Engine, at: string, onProgress: (seen: number) => void): Promise<void> {
  const session = await newSession(engine)
  const journal = journalOf(engine)
  const total = 3 * EACH + LAST_WORDS
  const read = async (pause: () => Promise<unknown> | undefined) => {
    const events: StoredEvent[] = []
    for await (const page of journal.follow(session, { since: 0, signal: AbortSignal.timeout(50_000) })) {
      events.push(...page)
      onProgress(events.length)
      if (events.length >= total) break
      await pause()
    }
    return events
  }
  const write = (name: string, count: number) =>
    startNode(`${import.meta.dirname}/workers/writer.ts`, [at, name, String(count), session])
  const fast = read(() => undefined)
  const slow = read(() => journal.snapshot(session))
  await using one = write('one', EACH)
  await using two = write('two', EACH)
  await Promise.all([one.line(/^ready/), two.line(/^ready/)])
  for (const n of oneTo(EACH)) await journal.append(session, null, [structural(`here ${n}`)])
  await Promise.all([one.exited, two.exited])
  await using _last = write('last', LAST_WORDS)
  for (const events of await Promise.all([fast, slow])) expect(events).toEqual(await stored(engine, session))
}

/** Resolves when the hint of what `append` stores has arrived at some listener. */
async function heardBy(at: string, append: () => Promise<unknown>): Promise<void> {
  const listener = new pg.Client(at)
  await listener.connect()
  await listener.query('LISTEN parley_hints')
  const heard = once(listener, 'notification')
  await append()
  await heard
  await listener.end()
}

async function connectionsTo(at: string): Promise<number> {
  const client = new pg.Client(at)
  await client.connect()
  const { rows } = await client.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'parley'`,
  )
  await client.end()
  return rows[0]!.n
}
