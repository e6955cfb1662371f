import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'
import type { World } from './world.ts'

/** What the database says to this statement, beside the server that runs on it. */
export async function askDatabase(world: World, sql: string): Promise<Record<string, unknown>[]> {
  const { databaseUrl, dataDir } = world
  if (databaseUrl === undefined) {
    using database = new DatabaseSync(join(dataDir, 'parley.sqlite'), { timeout: 10_000 })
    return database.prepare(sql).all()
  }
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows
  } finally {
    await client.end()
  }
}
