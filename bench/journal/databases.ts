import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { startPostgres } from '@parley/testkit'
import pg from 'pg'
import type { NewEvent } from '../../packages/server/src/store/append.ts'
import type { Engine } from '../../packages/server/src/store/engine.ts'
import { Journal } from '../../packages/server/src/store/journal.ts'
import { type Lease, beginRun, openGate } from '../../packages/server/src/store/gate.ts'
import { openPostgres } from '../../packages/server/src/store/postgres/engine.ts'
import { openSqlite } from '../../packages/server/src/store/sqlite/engine.ts'

/** Stores rows in one commit, one for each of as many sessions, with nothing around it: what the journal is compared with. */
type RawInsert = (rows: number, durability: 'full' | 'normal') => void | Promise<void>

export type Database = AsyncDisposable & {
  name: 'sqlite' | 'postgres'
  engine: Engine
  /** A second instance on the same database, where there can be one. */
  openOther(): Promise<Engine> | undefined
  raw: RawInsert
}

/** The size of a text increment with its envelope. */
const DATA = JSON.stringify({ turn_id: 'turn_0123456789abcdef', data: { text_delta: 'x'.repeat(120) } })

const rawSessions = Array.from({ length: 100 }, () => `sess_${randomUUID()}`)

export async function openSqliteDatabase(): Promise<Database> {
  const directory = await mkdtemp(join(tmpdir(), 'parley-bench-'))
  const engine = await openSqlite({ directory, now: Date.now })
  const raw = new DatabaseSync(join(directory, 'raw.sqlite'))
  raw.exec(
    'PRAGMA journal_mode = WAL; CREATE TABLE events (session_id, event_seq, at, type, data, PRIMARY KEY (session_id, event_seq)) WITHOUT ROWID',
  )
  const insert = raw.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?)')
  let seq = 0
  return {
    name: 'sqlite',
    engine,
    openOther: () => undefined,
    raw(rows, durability) {
      raw.exec(`PRAGMA synchronous = ${durability}`)
      raw.exec('BEGIN IMMEDIATE')
      seq += 1
      for (let n = 0; n < rows; n++) insert.run(rawSessions[n]!, seq, Date.now(), 'turn:patch', DATA)
      raw.exec('COMMIT')
    },
    async [Symbol.asyncDispose]() {
      await engine[Symbol.asyncDispose]()
      raw.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

export async function openPostgresDatabase(): Promise<Database> {
  const server = await startPostgres({ fsync: true })
  const open = () => openPostgres({ url: server.url, leaseMs: 10_000 })
  const engine = await open()
  const raw = new pg.Client(server.url)
  await raw.connect()
  await raw.query(
    'CREATE TABLE raw_events (session_id text, event_seq bigint, at bigint, type text, data text, PRIMARY KEY (session_id, event_seq))',
  )
  let seq = 0
  return {
    name: 'postgres',
    engine,
    openOther: open,
    async raw(rows) {
      seq += 1
      await raw.query({
        name: 'raw',
        text: `INSERT INTO raw_events SELECT s, $2, $3, 'turn:patch', $4 FROM unnest($1::text[]) AS s`,
        values: [rawSessions.slice(0, rows), seq, Date.now(), DATA],
      })
    },
    async [Symbol.asyncDispose]() {
      await raw.end()
      await engine[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}

export function journalOf(engine: Engine): Journal {
  return new Journal(engine, randomUUID)
}

/** New sessions with an active run: text is written under its epoch. */
export function startRuns(engine: Engine, count: number): Promise<Lease[]> {
  return Promise.all(
    Array.from({ length: count }, () => {
      const session_id = `sess_${randomUUID()}`
      return engine.write(function* () {
        yield* openGate(session_id)
        return (yield* beginRun({ session_id, run_id: `chat_${session_id}` }, 'bench', 3_600_000))!
      })
    }),
  )
}

export function textEvent(data = DATA): NewEvent {
  return { ...structuralEvent(data), text: true }
}

export function structuralEvent(data = DATA): NewEvent {
  return { type: 'turn:patch', data, run_id: 'chat_1', loop_id: 'root', turn_id: 'turn_1' }
}
