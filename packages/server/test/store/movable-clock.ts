import { administer, barePostgresPlace, type Place, sqlitePlace } from './place.ts'

/** A place whose database shows another time than it is, by as much as it is told. */
export type MovablePlace = Place & {
  /** From now on the database's clock is this far from the true time. */
  setClock: (ms: number) => Promise<void>
}

export async function movableSqlite(): Promise<MovablePlace> {
  const place = await sqlitePlace()
  let offset = 0
  return {
    ...place,
    open: (options) => place.open({ ...options, now: () => Date.now() + offset }),
    setClock: async (ms) => {
      offset = ms
    },
    [Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
  }
}

/** A database that no other test gets afterwards. Its clock can be set once an engine was opened in it. */
export async function movablePostgres(): Promise<MovablePlace> {
  const place = await barePostgresPlace()
  return {
    ...place,
    setClock: (ms) => setDatabaseClock(place.at, ms),
    [Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
  }
}

/** What a step of the database server's own clock does to everybody who asks it for the time. */
export function setDatabaseClock(url: string, ms: number): Promise<void> {
  return administer(
    url,
    `CREATE OR REPLACE FUNCTION now_ms() RETURNS bigint LANGUAGE sql VOLATILE
      AS 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint + ${ms}'`,
  )
}

export const movablePlaces = [
  ['sqlite', movableSqlite],
  ['postgres', movablePostgres],
] as const
