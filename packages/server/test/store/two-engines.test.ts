import pg from 'pg'
import { expect, test } from 'vitest'
import { journalOf, newSession, numberOf, oneTo, stored, structural, textOf } from './fixtures.ts'
import { postgresPlace } from './place.ts'

// What only a database with several clients can be asked.

test('[D2.4] two engines racing on one session leave no gap and store nothing twice', async () => {
  await using place = await postgresPlace()
  await using one = await place.open()
  await using two = await place.open()
  const session = await newSession(one)
  await Promise.all(oneTo(60).map((n) => journalOf(n % 2 ? one : two).append(session, null, [structural(`${n}`)])))
  const events = await stored(one, session)
  expect(events.map(numberOf)).toEqual(oneTo(60))
  expect(new Set(events.map(textOf)).size).toBe(60)
})

test('[D3] a nudge reaches every listener of another instance at once, long before anybody would look', async () => {
  await using place = await postgresPlace()
  await using one = await place.open({ pollMs: 60_000 })
  await using two = await place.open({ pollMs: 60_000 })
  const [first, second] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()]
  two.onNudge(first.resolve)
  two.onNudge(second.resolve)
  one.nudge('sess_1')
  expect(await Promise.all([first.promise, second.promise])).toEqual(['sess_1', 'sess_1'])
})

test('[D2.5] a stranger that holds one session’s gate row delays that session alone, not the 49 others of its group', async () => {
  await using place = await postgresPlace()
  await using engine = await place.open()
  const journal = journalOf(engine)
  const sessions = await Promise.all(oneTo(50).map(() => newSession(engine)))
  const held = sessions[24]!
  const stranger = new pg.Client(place.at)
  await stranger.connect()
  await stranger.query('BEGIN')
  await stranger.query('SELECT 1 FROM gates WHERE session_id = $1 FOR UPDATE', [held])

  let isHeldStored = false
  const appends = sessions.map((session) => journal.append(session, null, [structural('first')]))
  void appends[24]!.then(() => (isHeldStored = true))
  await Promise.all(appends.filter((_, index) => index !== 24))
  // Also the next group goes through while the stranger keeps its row.
  await Promise.all(
    sessions
      .filter((session) => session !== held)
      .map((session) => journal.append(session, null, [structural('second')])),
  )
  expect(isHeldStored).toBe(false)

  await stranger.query('COMMIT')
  await stranger.end()
  expect(await appends[24]).toMatchObject({ head: 1 })
  for (const session of sessions)
    expect((await stored(engine, session)).map(numberOf)).toEqual(session === held ? [1] : [1, 2])
})
