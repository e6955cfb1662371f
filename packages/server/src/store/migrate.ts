import { type Dialect, Kysely, sql } from 'kysely'
import { Migrator } from 'kysely/migration'
import { StoreError } from './errors.ts'
import { migrations, SCHEMA_VERSION } from './migrations/index.ts'
import type { Schema } from './schema.ts'

/**
 * Brings the database up to date. Migrations only add, so a newer database still serves an older server, down to the
 * version that the database names as `min_reader`. Several servers that start at once take turns: Kysely's migrator
 * holds a lock of the database meanwhile.
 */
export async function migrate(kind: 'sqlite' | 'postgres', dialect: Dialect): Promise<void> {
  const db = new Kysely<Schema>({ dialect })
  try {
    await bringUpToDate(db, kind)
  } finally {
    await db.destroy()
  }
}

async function bringUpToDate(db: Kysely<Schema>, kind: 'sqlite' | 'postgres'): Promise<void> {
  const known = migrations(kind)
  const applied = await appliedMigrations(db, kind)
  await refuseIfTooOld(db, applied)
  if (applied.some((name) => !(name in known))) return // a newer server has been here, and says we may stay
  if (Object.keys(known).every((name) => applied.includes(name))) return

  const migrator = new Migrator({ db, provider: { getMigrations: async () => known } })
  const { error } = await migrator.migrateToLatest()
  if (error) throw error
}

async function refuseIfTooOld(db: Kysely<Schema>, applied: string[]): Promise<void> {
  if (applied.length === 0) return
  const row = await db.selectFrom('meta').select('value').where('key', '=', 'min_reader').executeTakeFirst()
  const minReader = Number(row?.value ?? 0)
  if (minReader > SCHEMA_VERSION)
    throw new StoreError(
      'too_old',
      `This database was upgraded by a newer Parley (it asks for schema ${minReader}, this server knows ${SCHEMA_VERSION}). Start a newer server; nothing was changed.`,
    )
}

async function appliedMigrations(db: Kysely<Schema>, kind: 'sqlite' | 'postgres'): Promise<string[]> {
  const exists =
    kind === 'sqlite'
      ? sql<{ n: number }>`SELECT count(*) AS n FROM sqlite_master WHERE name = 'kysely_migration'`
      : sql<{ n: number }>`SELECT count(*)::int AS n FROM pg_class WHERE oid = to_regclass('kysely_migration')`
  const { rows } = await exists.execute(db)
  if (!rows[0]?.n) return []
  const names = await sql<{ name: string }>`SELECT name FROM kysely_migration`.execute(db)
  return names.rows.map((row) => row.name)
}
