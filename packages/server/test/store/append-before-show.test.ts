import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { expect, test } from 'vitest'
import { appendEvents } from '../../src/store/append.ts'
import type { Engine } from '../../src/store/engine.ts'
import { runSql } from '../../src/store/work.ts'
import { collect, increment, journalOf, newSession, oneTo, structural, textOf } from './fixtures.ts'
import { type Place, places, postgresPlace, proxied, sqlitePlace } from './place.ts'

test.each(places)(
  '[D2.1] on %s what was acknowledged, or shown, is committed: a stranger finds it in the database',
  async (_name, makePlace) => {
    await using place = await makePlace()
    await using engine = await place.open()
    await using stranger = await strangerAt(place)
    const session = await newSession(engine)
    const journal = journalOf(engine)
    const showing = journal.follow(session, { since: 0, signal: AbortSignal.timeout(45_000) })
    for (const n of oneTo(20)) {
      const [appended, shown] = await Promise.all([
        journal
          .append(session, null, [increment(`${n}`)])
          .then(async ({ head }) => [head, await stranger.head(session)]),
        showing.next().then(async ({ value }) => [value!.at(-1)!.event_seq, await stranger.head(session)]),
      ])
      expect(appended).toEqual([n, n])
      expect(shown).toEqual([n, n])
    }
  },
)

test('[D2.1] postgres: an event whose commit never arrives is shown to nobody', async () => {
  await using place = await postgresPlace()
  await using way = await proxied(place)
  await using engine = await place.open({ at: way.at })
  const session = await newSession(engine)
  const showing = firstShown(engine, session)
  way.proxy.dropRequest('COMMIT')
  const unknown = engine.write(() => appendEvents(journalOf(engine).appending(session, null, [structural('never')])))
  await expect(unknown).rejects.toMatchObject({ code: 'commit_unknown' })
  await journalOf(engine).append(session, null, [structural('stored')])
  expect(await showing).toBe('stored')
})

test('[D2.1] sqlite: when a transaction fails as a whole, everybody in it is told and nothing of it is shown', async () => {
  await using place = await sqlitePlace()
  await using engine = await place.open()
  const session = await newSession(engine)
  const showing = firstShown(engine, session)
  const outcomes = await Promise.allSettled([
    journalOf(engine).append(session, null, [structural('never')]),
    engine.write(() => runSql('ROLLBACK', [])), // as SQLite itself does when the disk is full
  ])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  await journalOf(engine).append(session, null, [structural('stored')])
  expect(await showing).toBe('stored')
})

async function firstShown(engine: Engine, session: string): Promise<string> {
  const [first] = await collect(journalOf(engine).follow(session, { since: 0, signal: AbortSignal.timeout(45_000) }), 1)
  return textOf(first!)
}

/** Somebody with a connection of their own, who sees what is committed and nothing else. */
async function strangerAt(place: Place): Promise<{ head(session: string): Promise<number> } & AsyncDisposable> {
  const sql = (mark: string) => `SELECT max(event_seq)::int AS head FROM events WHERE session_id = ${mark}`
  if (place.kind === 'sqlite') {
    const database = new DatabaseSync(`${place.at}/parley.sqlite`, { readOnly: true })
    const find = database.prepare(sql('?').replace('::int', ''))
    return {
      head: async (session) => (find.get(session) as { head: number }).head,
      [Symbol.asyncDispose]: async () => database.close(),
    }
  }
  const client = new pg.Client(place.at)
  await client.connect()
  return {
    head: async (session) => (await client.query<{ head: number }>(sql('$1'), [session])).rows[0]!.head,
    [Symbol.asyncDispose]: () => client.end(),
  }
}
