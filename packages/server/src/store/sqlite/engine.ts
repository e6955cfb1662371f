import { AsyncLocalStorage } from 'node:async_hooks'
import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import { type Append, type Appended, appendEvents, durabilityOf } from '../append.ts'
import type { Engine, WriteOptions } from '../engine.ts'
import { type StorageTrouble, troubleOf } from '../errors.ts'
import { VOID_LEASES } from '../gate.ts'
import { Hub } from '../hub.ts'
import { makeDirectories } from '../make-directories.ts'
import { migrate } from '../migrate.ts'
import type { Schema } from '../schema.ts'
import type { Batch, Work } from '../work.ts'
import { holdDirectory } from './directory-lock.ts'
import { isBusy, LOCK_PATIENCE_MS, LOCK_RETRY_MS, lockedError, whenFree } from './lock-wait.ts'
import { migrationDialect } from './migration-dialect.ts'
import { keepPrivate } from './private-files.ts'
import { storageError } from './storage-error.ts'

export type SqliteOptions = {
  /** Where `parley.sqlite` lies; `:memory:` for a database that ends with the process. */
  directory: string
  now: () => number
  /** Ceiling for the file's pages; tests use it to fill the disk. */
  maxPages?: number
}

const JOBS_PER_COMMIT = 512
const TEXT_TICK_MS = 4
/** Less than this left counts as full, though a short message might still fit. */
const ROOM_BYTES = 1024 * 1024
/** How long a passing lock may last before it counts as trouble. */
const PASSING_LOCK_MS = 500

/** Opens the data directory for this process alone, brings the schema up to date and voids every stored lease. */
export async function openSqlite(options: SqliteOptions): Promise<Engine> {
  const { directory } = options
  const inMemory = directory === ':memory:'
  let lock: Disposable | undefined
  try {
    if (!inMemory) makeDirectories(directory)
    lock = inMemory ? undefined : holdDirectory(directory)
    return await whenFree(() => openFiles(options, join(directory, 'parley.sqlite'), lock), directory)
  } catch (error) {
    lock?.[Symbol.dispose]()
    throw storageError(error, directory)
  }
}

/** SQLite would wait for a lock in this thread; `whenFree` waits beside it. */
const NO_WAITING = { timeout: 0 }

async function openFiles(options: SqliteOptions, file: string, lock: Disposable | undefined): Promise<SqliteEngine> {
  const inMemory = options.directory === ':memory:'
  if (!inMemory) keepPrivate(file)
  const writer = new DatabaseSync(inMemory ? ':memory:' : file, NO_WAITING)
  let reader = writer
  try {
    writer.exec(
      'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -16000',
    )
    if (options.maxPages) writer.exec(`PRAGMA max_page_count = ${options.maxPages}`)
    writer.function('now_ms', options.now)
    await migrate('sqlite', migrationDialect(writer))
    writer.exec(`${VOID_LEASES}; DELETE FROM instances`)
    if (!inMemory) {
      reader = new DatabaseSync(file, { readOnly: true, ...NO_WAITING })
      reader.exec('PRAGMA query_only = ON; PRAGMA cache_size = -16000')
      reader.function('now_ms', options.now)
    }
    return new SqliteEngine(writer, reader, lock, options.directory)
  } catch (error) {
    if (reader !== writer) reader.close()
    writer.close()
    throw error
  }
}

type Job = {
  work: () => Work<unknown>
  durability: 'full' | 'normal'
  since: number
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

/** What a job appended, and how to tell its caller, once the commit has happened. */
type Done = { batches: Batch[]; settle: () => void }

/**
 * All writes of a tick share one transaction on the one write connection, and the whole transaction is one synchronous
 * function. When one of them fails they are run again, each under a savepoint of its own, so that it fails alone. Reads
 * use a second, query-only connection and see committed rows only.
 */
class SqliteEngine implements Engine {
  readonly kind = 'sqlite'
  readonly hub = new Hub()
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
  readonly #lock: Disposable | undefined
  readonly #directory: string
  /** A commit is everybody's: it must not count as a callback of whoever asked for it first. */
  readonly #outside = AsyncLocalStorage.snapshot()
  #queue: Job[] = []
  #scheduled: 'no' | 'soon' | 'now' | 'locked' = 'no'
  /** How the last commit failed, if it did. */
  #trouble: StorageTrouble | null = null
  #synchronous: 'full' | 'normal' = 'full'

  constructor(writer: DatabaseSync, reader: DatabaseSync, lock: Disposable | undefined, directory: string) {
    this.#writer = new Connection(writer)
    this.#reader = reader === writer ? this.#writer : new Connection(reader)
    this.#lock = lock
    this.#directory = directory
  }

  write<T>(work: () => Work<T>, { durability = 'full' }: WriteOptions<T> = {}): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const since = performance.now()
      this.#queue.push({ work, durability, since, resolve: resolve as (value: unknown) => void, reject })
      this.#schedule(durability)
    })
  }

  append(append: Append): Promise<Appended> {
    return this.write(() => appendEvents(append), { durability: durabilityOf(append.events) })
  }

  read<T>(work: () => Work<T>): Promise<T> {
    const { database } = this.#reader
    return this.#look(() => {
      database.exec('BEGIN')
      try {
        return this.#reader.drive(work(), ignoreBatch)
      } finally {
        database.exec('COMMIT')
      }
    })
  }

  select<R>(sql: string, parameters: readonly unknown[]): Promise<R[]> {
    return this.#look(() => this.#reader.run(sql, parameters as SQLInputValue[]) as R[])
  }

  async trouble(): Promise<StorageTrouble | null> {
    if (this.#directory === ':memory:' || this.#trouble) return this.#trouble
    try {
      await whenFree(() => this.#writer.database.exec('BEGIN IMMEDIATE; ROLLBACK'), this.#directory, PASSING_LOCK_MS)
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
    while (this.#queue.length > 0)
      if (this.#scheduled === 'locked') await delay(LOCK_RETRY_MS)
      else this.#commitQueue()
    if (this.#reader !== this.#writer) this.#reader.database.close()
    this.#writer.database.close()
    this.#lock?.[Symbol.dispose]()
  }

  /** What somebody waits for goes with the next turn of the event loop; text waits a moment for the text of others. */
  #schedule(durability: 'full' | 'normal'): void {
    if (this.#scheduled === 'locked') return
    if (durability === 'full' && this.#scheduled !== 'now') {
      this.#scheduled = 'now'
      this.#outside(() => setImmediate(() => this.#tick('now')))
    } else if (this.#scheduled === 'no') {
      this.#scheduled = 'soon'
      this.#outside(() => setTimeout(() => this.#tick('soon'), TEXT_TICK_MS))
    }
  }

  #tick(kind: 'soon' | 'now' | 'locked'): void {
    if (this.#scheduled !== kind) return // overtaken
    this.#scheduled = 'no'
    this.#commitQueue()
    if (this.#queue.length > 0) this.#schedule('full')
  }

  #commitQueue(): void {
    const jobs = this.#queue.splice(0, JOBS_PER_COMMIT)
    if (jobs.length === 0) return
    let done: Done[]
    try {
      this.#begin(jobs.some((job) => job.durability === 'full') ? 'full' : 'normal')
      done = this.#runTogether(jobs) ?? jobs.map((job) => this.#runApart(job))
      this.#writer.database.exec('COMMIT')
    } catch (error) {
      // Nothing of this commit is stored: everybody in it is told so, with the reason.
      if (this.#writer.database.isTransaction) this.#writer.database.exec('ROLLBACK')
      if (isBusy(error)) return this.#waitForLock(jobs, error)
      const reason = storageError(error, this.#directory)
      this.#trouble = troubleOf(reason)
      for (const job of jobs) job.reject(reason)
      return
    }
    this.#trouble = null
    for (const { batches } of done) for (const batch of batches) this.hub.committed(batch)
    for (const { settle } of done) settle()
  }

  /** Another program has the database. Whoever has waited long enough is told; for the others it is tried again. */
  #waitForLock(jobs: Job[], cause: unknown): void {
    const patientSince = performance.now() - LOCK_PATIENCE_MS
    for (const job of jobs) if (job.since < patientSince) job.reject(lockedError(this.#directory, cause))
    this.#queue.unshift(...jobs.filter(({ since }) => since >= patientSince))
    this.#scheduled = 'locked'
    setTimeout(() => this.#tick('locked'), LOCK_RETRY_MS)
  }

  async #look<T>(look: () => T): Promise<T> {
    try {
      return await whenFree(look, this.#directory)
    } catch (error) {
      throw storageError(error, this.#directory)
    }
  }

  #begin(durability: 'full' | 'normal'): void {
    // Only possible between transactions. A later full commit also syncs the increments before it.
    if (durability !== this.#synchronous) this.#writer.database.exec(`PRAGMA synchronous = ${durability}`)
    this.#synchronous = durability
    this.#writer.database.exec('BEGIN IMMEDIATE')
  }

  /** The usual case, without the cost of savepoints. `undefined`: a job failed, so nothing was done. */
  #runTogether(jobs: Job[]): Done[] | undefined {
    const { database } = this.#writer
    try {
      return jobs.map((job) => {
        if (!database.isTransaction) throw new Error('the transaction is over')
        return this.#run(job)
      })
    } catch {
      if (database.isTransaction) database.exec('ROLLBACK')
      database.exec('BEGIN IMMEDIATE')
      return undefined
    }
  }

  #runApart(job: Job): Done {
    this.#writer.database.exec('SAVEPOINT job')
    try {
      const done = this.#run(job)
      this.#writer.database.exec('RELEASE job')
      return done
    } catch (error) {
      // A full disk ends the whole transaction; anything else ends this job alone.
      if (!this.#writer.database.isTransaction) throw error
      this.#writer.database.exec('ROLLBACK TO job; RELEASE job')
      const reason = storageError(error, this.#directory)
      return {
        batches: [],
        settle: () => {
          this.#trouble ??= troubleOf(reason)
          job.reject(reason)
        },
      }
    }
  }

  #run(job: Job): Done {
    const batches: Batch[] = []
    const result = this.#writer.drive(job.work(), (batch) => batches.push(batch))
    return { batches, settle: () => job.resolve(result) }
  }
}

const STATEMENTS_KEPT = 256

/** A connection with its prepared statements. */
class Connection {
  readonly database: DatabaseSync
  readonly #statements = new Map<string, { statement: StatementSync; returnsRows: boolean }>()

  constructor(database: DatabaseSync) {
    this.database = database
  }

  drive<T>(work: Work<T>, onAppended: (batch: Batch) => void): T {
    let next = work.next()
    while (!next.done) {
      const step = next.value
      if ('appended' in step) {
        onAppended(step.appended)
        next = work.next([])
        continue
      }
      let rows: unknown[]
      try {
        rows = this.run(step.sql, step.parameters as SQLInputValue[])
      } catch (error) {
        next = work.throw(error)
        continue
      }
      next = work.next(rows)
    }
    return next.value
  }

  run(sql: string, parameters: SQLInputValue[]): unknown[] {
    const { statement, returnsRows } = this.#prepared(sql)
    if (returnsRows) return statement.all(...parameters)
    statement.run(...parameters)
    return []
  }

  #prepared(sql: string): { statement: StatementSync; returnsRows: boolean } {
    const known = this.#statements.get(sql)
    if (known) return known
    if (this.#statements.size >= STATEMENTS_KEPT) this.#statements.delete(this.#statements.keys().next().value!)
    const statement = this.database.prepare(sql)
    const prepared = { statement, returnsRows: statement.columns().length > 0 }
    this.#statements.set(sql, prepared)
    return prepared
  }
}

function ignoreBatch(): void {}
