import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import type { Append, Appended } from '../append.ts'
import type { Engine, WriteOptions } from '../engine.ts'
import { type StorageTrouble, troubleOf } from '../errors.ts'
import { VOID_LEASES } from '../gate.ts'
import { Hub } from '../hub.ts'
import { makeDirectories } from '../make-directories.ts'
import { migrate } from '../migrate.ts'
import type { Schema } from '../schema.ts'
import { systemTimers, type Timers } from '../timers.ts'
import type { Work } from '../work.ts'
import { CommitQueue } from './commit-queue.ts'
import { Connection } from './connection.ts'
import { lockDirectory } from './directory-lock.ts'
import { whenFree } from './lock-wait.ts'
import { migrationDialect } from './migration-dialect.ts'
import { keepPrivate } from './private-files.ts'
import { storageError } from './storage-error.ts'

export type SqliteOptions = {
  /** Where `parley.sqlite` lies; `:memory:` for a database that ends with the process. */
  directory: string
  now: () => number
  /** Ceiling for the file's pages; tests use it to fill the disk. */
  maxPages?: number
  /** Default the system's. */
  timers?: Timers
}

/** Less than this left counts as full, though a short message might still fit. */
const ROOM_BYTES = 1024 * 1024
/** The log's length, in pages, at which it is written back: a page that many commits have touched is written once. */
const LOG_PAGES = 4_000
/** How long a passing lock may last before it counts as trouble. */
const PASSING_LOCK_MS = 500

/** Opens the data directory for this process alone, brings the schema up to date and voids every stored lease. */
export async function openSqlite(options: SqliteOptions): Promise<Engine> {
  const { directory, timers = systemTimers } = options
  const inMemory = directory === ':memory:'
  let lock: Disposable | undefined
  try {
    if (!inMemory) makeDirectories(directory)
    lock = inMemory ? undefined : lockDirectory(directory)
    const open = () => openFiles({ ...options, timers }, join(directory, 'parley.sqlite'), lock)
    return await whenFree(open, directory, { timers })
  } catch (error) {
    lock?.[Symbol.dispose]()
    throw storageError(error, directory)
  }
}

/** SQLite would wait for a lock in this thread; `whenFree` waits beside it. */
const NO_WAITING = { timeout: 0 }

async function openFiles(
  { directory, maxPages, now, timers }: SqliteOptions & { timers: Timers },
  file: string,
  lock: Disposable | undefined,
): Promise<SqliteEngine> {
  const inMemory = directory === ':memory:'
  if (!inMemory) keepPrivate(file)
  const writer = new DatabaseSync(inMemory ? ':memory:' : file, NO_WAITING)
  let reader = writer
  try {
    writer.exec(
      `PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -16000;
      PRAGMA wal_autocheckpoint = ${LOG_PAGES}`,
    )
    if (maxPages) writer.exec(`PRAGMA max_page_count = ${maxPages}`)
    writer.function('now_ms', now)
    await migrate('sqlite', migrationDialect(writer))
    writer.exec(`${VOID_LEASES}; DELETE FROM instances`)
    if (!inMemory) {
      reader = new DatabaseSync(file, { readOnly: true, ...NO_WAITING })
      reader.exec('PRAGMA query_only = ON; PRAGMA cache_size = -16000')
      reader.function('now_ms', now)
    }
    return new SqliteEngine({ writer, reader, lock, directory, timers, now })
  } catch (error) {
    if (reader !== writer) reader.close()
    writer.close()
    throw error
  }
}

type OpenFiles = {
  writer: DatabaseSync
  reader: DatabaseSync
  lock: Disposable | undefined
  directory: string
  timers: Timers
  now: () => number
}

/** One connection writes, in the commits of its queue; reads use a second, query-only one and see committed rows only. */
class SqliteEngine implements Engine {
  readonly kind = 'sqlite'
  readonly hub = new Hub()
  readonly timers: Timers
  readonly db = new Kysely<Schema>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  })
  readonly #writer: Connection
  readonly #reader: Connection
  readonly #commits: CommitQueue
  readonly #lock: Disposable | undefined
  readonly #directory: string

  constructor({ writer, reader, lock, directory, timers, now }: OpenFiles) {
    this.timers = timers
    this.#writer = new Connection(writer)
    this.#reader = reader === writer ? this.#writer : new Connection(reader)
    this.#lock = lock
    this.#directory = directory
    this.#commits = new CommitQueue({
      connection: this.#writer,
      directory,
      timers,
      now,
      onCommitted: (told) => this.hub.told(told),
    })
  }

  write<T>(work: () => Work<T>, { durability = 'full' }: WriteOptions<T> = {}): Promise<T> {
    return this.#commits.add(work, durability)
  }

  append(append: Append): Promise<Appended> {
    return this.#commits.append(append)
  }

  read<T>(work: () => Work<T>): Promise<T> {
    const { database } = this.#reader
    return this.#look(() => {
      database.exec('BEGIN')
      try {
        return this.#reader.drive(work(), ignore)
      } finally {
        database.exec('COMMIT')
      }
    })
  }

  select<R>(sql: string, parameters: readonly unknown[]): Promise<R[]> {
    return this.#look(() => this.#reader.run(sql, parameters) as R[])
  }

  async trouble(): Promise<StorageTrouble | null> {
    const { trouble } = this.#commits
    if (this.#directory === ':memory:' || trouble) return trouble
    try {
      const { timers } = this
      const tryToWrite = () => this.#writer.database.exec('BEGIN IMMEDIATE; ROLLBACK')
      await whenFree(tryToWrite, this.#directory, { timers, patienceMs: PASSING_LOCK_MS })
      const { bavail, bsize } = await statfs(this.#directory)
      return bavail * bsize < ROOM_BYTES ? 'storage_full' : null
    } catch (error) {
      return troubleOf(storageError(error, this.#directory)) ?? 'storage_unavailable'
    }
  }

  /** There is no other instance. */
  nudge(): void {}

  onNudge(): void {}

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#commits.flush()
    if (this.#reader !== this.#writer) this.#reader.database.close()
    this.#writer.database.close()
    this.#lock?.[Symbol.dispose]()
  }

  async #look<T>(look: () => T): Promise<T> {
    try {
      return await whenFree(look, this.#directory, this)
    } catch (error) {
      throw storageError(error, this.#directory)
    }
  }
}

function ignore(): void {}
