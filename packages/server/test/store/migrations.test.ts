import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import type { Engine } from '../../src/store/engine.ts'
import { migrations } from '../../src/store/migrations/index.ts'
import { journalOf, newSession, numberOf, oneTo, stored, structural } from './fixtures.ts'
import { barePostgresPlace, type Place, sqlitePlace } from './place.ts'

const ours = Object.keys(migrations('sqlite'))

const places = [
  ['sqlite', sqlitePlace],
  ['postgres', barePostgresPlace],
] as const

test('[D6] five servers that start on one empty PostgreSQL at once all come up, on one schema', async () => {
  await using place = await barePostgresPlace()
  const engines = await Promise.all(oneTo(5).map(() => place.open()))
  const session = await newSession(engines[0]!)
  for (const engine of engines) await journalOf(engine).append(session, null, [structural('here')])
  expect((await stored(engines[0]!, session)).map(numberOf)).toEqual(oneTo(5))
  for (const engine of engines) await engine[Symbol.asyncDispose]()
  expect(await query(place, 'SELECT name FROM kysely_migration ORDER BY name')).toEqual(ours.map((name) => ({ name })))
})

describe.each(places)('upgrades of %s', (_name, makePlace) => {
  test('[D6] opening again changes nothing', async () => {
    await using place = await makePlace()
    const session = await withEngine(place, (engine) => newSession(engine))
    await withEngine(place, (engine) => journalOf(engine).append(session, null, [structural('x')]))
    const before = await everything(place)
    await withEngine(place, async () => undefined)
    expect(await everything(place)).toEqual(before)
    expect(before).toContain(session)
  })

  test('[D6] a server that the database calls too old refuses, and leaves it untouched', async () => {
    await using place = await makePlace()
    await withEngine(place, (engine) => newSession(engine))
    await query(place, `UPDATE meta SET value = '99' WHERE key = 'min_reader'`)
    await query(place, `UPDATE gates SET run_id = 'chat_1', lease_until = 1`)
    const before = await everything(place)
    const refused = await place.open().catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 'too_old' })
    expect((refused as Error).message).toMatch(/99.*newer server/)
    expect(await everything(place)).toEqual(before)
  })

  test('[D6] a database that a newer server has upgraded still serves this one, if it says so', async () => {
    await using place = await makePlace()
    const session = await withEngine(place, (engine) => newSession(engine))
    await query(place, `INSERT INTO kysely_migration (name, timestamp) VALUES ('9999-from-the-future', '2030-01-01')`)
    await query(place, 'ALTER TABLE gates ADD COLUMN mood text')
    const appended = await withEngine(place, (engine) => journalOf(engine).append(session, null, [structural('x')]))
    expect(appended.head).toBe(1)
    expect(await query(place, 'SELECT name FROM kysely_migration ORDER BY name')).toHaveLength(ours.length + 1)
  })
})

async function withEngine<T>(place: Place, use: (engine: Engine) => Promise<T>): Promise<T> {
  await using engine = await place.open()
  return await use(engine)
}

/** Schema and rows of every table, as text. */
async function everything(place: Place): Promise<string> {
  const tables = await query<{ name: string; definition: string }>(
    place,
    place.kind === 'sqlite'
      ? `SELECT name, coalesce(sql, '') AS definition FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'search_index%' ORDER BY name`
      : `SELECT table_name AS name, string_agg(column_name || data_type, ',' ORDER BY ordinal_position) AS definition
          FROM information_schema.columns WHERE table_schema = 'public' GROUP BY 1 ORDER BY 1`,
  )
  const rows = await Promise.all(tables.map(async ({ name }) => query(place, `SELECT * FROM ${name}`)))
  return JSON.stringify([tables, rows])
}

/** Behind the server's back. */
async function query<R>(place: Place, sql: string): Promise<R[]> {
  if (place.kind === 'sqlite') {
    const database = new DatabaseSync(`${place.at}/parley.sqlite`)
    try {
      return database.prepare(sql).all() as R[]
    } finally {
      database.close()
    }
  }
  const client = new pg.Client(place.at)
  await client.connect()
  try {
    return (await client.query(sql)).rows as R[]
  } finally {
    await client.end()
  }
}
