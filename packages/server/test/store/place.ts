import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTcpProxy, type TcpProxy } from '@parley/testkit'
import pg from 'pg'
import { inject } from 'vitest'
import type { Engine } from '../../src/store/engine.ts'
import { openPostgres } from '../../src/store/postgres/engine.ts'
import { openSqlite } from '../../src/store/sqlite/engine.ts'

/** Somewhere an engine can be opened, closed and opened again. */
export type Place = AsyncDisposable & {
  kind: 'sqlite' | 'postgres'
  /** A directory or a URL. */
  at: string
  open(options?: OpenOptions): Promise<Engine>
}

export type OpenOptions = { at?: string; now?: () => number; maxPages?: number; leaseMs?: number; pollMs?: number }

export async function sqlitePlace(): Promise<Place> {
  const directory = await mkdtemp(join(tmpdir(), 'parley-store-'))
  return {
    kind: 'sqlite',
    at: directory,
    open: ({ now = Date.now, at = directory, maxPages = 0 } = {}) => openSqlite({ directory: at, now, maxPages }),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  }
}

/** Databases of this file that no test uses right now: creating one takes longer than most tests. */
const idle: string[] = []

export async function postgresPlace(): Promise<Place> {
  return placeIn(idle.pop() ?? (await createDatabase(`TEMPLATE ${inject('postgresTemplate')}`)), async (url) => {
    await administer(url, EMPTY)
    idle.push(url)
  })
}

/** A database without a single table, and nobody's afterwards. */
export async function barePostgresPlace(): Promise<Place> {
  return placeIn(await createDatabase(), async () => undefined)
}

function placeIn(url: string, leave: (url: string) => Promise<void>): Place {
  return {
    kind: 'postgres',
    at: url,
    open: ({ leaseMs = 3_000, pollMs = 300, at = url } = {}) => openPostgres({ url: at, leaseMs, pollMs }),
    [Symbol.asyncDispose]: () => leave(url),
  }
}

async function createDatabase(how = ''): Promise<string> {
  const url = new URL(inject('postgresUrl'))
  const name = `t_${randomUUID().replaceAll('-', '')}`
  await administer(url.href, `CREATE DATABASE ${name} ${how}`)
  url.pathname = name
  return url.href
}

/**
 * Row by row: TRUNCATE makes every table and index anew, which takes a hundred times as long for the few rows of a test; it
 * is for what has grown. The role is for `audit`, which lets nobody delete.
 */
const EMPTY = `
  SET session_replication_role = replica;
  SELECT pg_terminate_backend(pid, 30000) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend';
  DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT tablename FROM pg_tables
      WHERE schemaname = 'public' AND tablename <> 'meta' AND tablename NOT LIKE 'kysely%'
    LOOP
      EXECUTE format(CASE WHEN pg_total_relation_size(format('%I', name)::regclass) > 1000000
        THEN 'TRUNCATE %I' ELSE 'DELETE FROM %I' END, name);
    END LOOP;
    PERFORM setval(format('%I', sequencename)::regclass, start_value, false) FROM pg_sequences;
    IF to_regclass('meta') IS NOT NULL THEN DELETE FROM meta WHERE key <> 'min_reader'; END IF;
  END $$`

export const places = [
  ['sqlite', sqlitePlace],
  ['postgres', postgresPlace],
] as const

/** The same database by a way that can be broken. */
export async function proxied(place: Place): Promise<{ proxy: TcpProxy; at: string } & AsyncDisposable> {
  const url = new URL(place.at)
  const proxy = await startTcpProxy({ host: url.hostname, port: Number(url.port) })
  url.port = String(proxy.port)
  return { proxy, at: url.href, [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose]() }
}

export async function administer(url: string, sql: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
