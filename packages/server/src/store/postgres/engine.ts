import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresDialect,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely'
import type pg from 'pg'
import type { Append, Appended } from '../append.ts'
import type { Engine, WriteOptions } from '../engine.ts'
import { type StorageTrouble, troubleOf } from '../errors.ts'
import { Hub } from '../hub.ts'
import { migrate } from '../migrate.ts'
import type { Schema } from '../schema.ts'
import { systemTimers, type Timers } from '../timers.ts'
import type { Told, Work } from '../work.ts'
import { commitUnknown, databaseError, demandUrl, isConnectionLoss, openPool } from './connection.ts'
import { numberedPlaceholders } from './drive-work.ts'
import { GroupAppender } from './group-appender.ts'
import { Hints } from './hints.ts'
import { attemptWrite, readOnce, type TransactionOptions } from './transactions.ts'

export type PostgresOptions = {
  url: string
  leaseMs: number
  /** Connections at most. Default 10. */
  poolSize?: number
  /** How often followed sessions are looked at when no hint came. Default 1 000 ms. */
  pollMs?: number
  /** Default the system's. */
  timers?: Timers
}

const ATTEMPTS = 5
const RETRY_MS = 100
/** What a database that is well needs neither to take a connection nor to say anything on it. */
const PATIENCE_MS = 400

export async function openPostgres(options: PostgresOptions): Promise<Engine> {
  demandUrl(options.url)
  // A connection that brings no answer for a whole lease is dead, whatever TCP still hopes for.
  const pool = openPool(options.url, { max: options.poolSize ?? 10, query_timeout: options.leaseMs })
  try {
    // A migration may take its time, so it has connections of its own.
    await migrate('postgres', new PostgresDialect({ pool: openPool(options.url, { max: 2 }) }))
    const engine = new PostgresEngine(pool, options)
    await engine.start()
    return engine
  } catch (error) {
    await pool.end()
    throw databaseError(error, options.url)
  }
}

/**
 * Appends are grouped into one statement, one round trip; other writes are transactions of their own. Both take a
 * session's gate row first, so they cannot deadlock. Transactions that stall are ended by the database itself.
 */
class PostgresEngine implements Engine {
  readonly kind = 'postgres'
  readonly hub = new Hub()
  readonly timers: Timers
  readonly db = new Kysely<Schema>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })
  readonly #pool: pg.Pool
  /** One connection that only renewals use: a busy pool must not cost a run its lease. */
  readonly #renewals: pg.Pool
  /** One connection that only asks whether anybody is there, in little time. */
  readonly #calls: pg.Pool
  #call: Promise<StorageTrouble | null> | undefined
  readonly #url: string
  readonly #transactions: TransactionOptions
  readonly #appender: GroupAppender
  readonly #hints: Hints
  /** How the last write failed, if it did; a sign of life is one, so this is never older than a third of a lease. */
  #trouble: StorageTrouble | null = null

  constructor(pool: pg.Pool, { url, leaseMs, pollMs = 1_000, timers = systemTimers }: PostgresOptions) {
    this.timers = timers
    this.#pool = pool
    this.#renewals = openPool(url, { max: 1, query_timeout: leaseMs })
    this.#calls = openPool(url, { max: 1, query_timeout: PATIENCE_MS, connectionTimeoutMillis: PATIENCE_MS })
    this.#url = url
    const onCommitted = (told: Told) => this.#committed(told)
    this.#transactions = { url, leaseMs, onCommitted }
    this.#hints = new Hints({ url, pool, hub: this.hub, pollMs, timers })
    this.#appender = new GroupAppender({
      pool,
      url,
      leaseMs,
      timers,
      onCommitted: (appended) => onCommitted({ appended }),
    })
  }

  async start(): Promise<void> {
    await this.#hints.start()
  }

  append(append: Append): Promise<Appended> {
    return this.#noted(this.#appender.append(append))
  }

  nudge(session_id: string): void {
    this.#hints.nudge(session_id)
  }

  onNudge(listener: (session_id: string) => void): void {
    this.#hints.onNudge(listener)
  }

  write<T>(work: () => Work<T>, options: WriteOptions<T> = {}): Promise<T> {
    return this.#noted(this.#write(work, options))
  }

  async trouble(): Promise<StorageTrouble | null> {
    return this.#trouble ?? (this.#call ??= this.#isThere())
  }

  read<T>(work: () => Work<T>): Promise<T> {
    return this.#retried(() => readOnce(this.#pool, work))
  }

  select<R>(sql: string, parameters: readonly unknown[]): Promise<R[]> {
    return this.#retried(
      async () => (await this.#pool.query(numberedPlaceholders(sql), parameters as unknown[])).rows as R[],
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#appender.settled()
    await this.#hints.stop()
    await Promise.all([this.#pool.end(), this.#renewals.end(), this.#calls.end()])
  }

  /** Writes that wait say nothing for as long as they are tried again. */
  async #isThere(): Promise<StorageTrouble | null> {
    try {
      await this.#calls.query('SELECT 1')
      return null
    } catch {
      return 'storage_unavailable'
    } finally {
      this.#call = undefined
    }
  }

  async #noted<T>(done: Promise<T>): Promise<T> {
    try {
      const value = await done
      this.#trouble = null
      return value
    } catch (error) {
      this.#trouble = troubleOf(error) ?? this.#trouble
      throw error
    }
  }

  async #write<T>(work: () => Work<T>, { confirm, isRenewal }: WriteOptions<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const outcome = await attemptWrite(work, isRenewal ? this.#renewals : this.#pool, this.#transactions)
      if (outcome.status === 'committed') return outcome.value
      if (outcome.status === 'unknown') {
        const found = await this.#confirmed(confirm, outcome.error)
        if (found !== undefined) return found
      }
      if (attempt === ATTEMPTS) throw databaseError(outcome.error, this.#url)
      await this.timers.sleep(attempt * RETRY_MS)
    }
  }

  async #retried<T>(read: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await read()
      } catch (error) {
        if (!isConnectionLoss(error) || attempt === ATTEMPTS) throw databaseError(error, this.#url)
        await this.timers.sleep(attempt * RETRY_MS)
      }
    }
  }

  /** After a commit of unknown outcome. Guessing here would lose or double something. */
  async #confirmed<T>(confirm: WriteOptions<T>['confirm'], cause: unknown): Promise<T | undefined> {
    const unknown = commitUnknown(this.#url, cause)
    if (!confirm) throw unknown
    return this.read(confirm).catch(() => {
      throw unknown
    })
  }

  #committed(told: Told): void {
    this.hub.told(told)
    if ('appended' in told) this.#hints.announce(told.appended.session_id, told.appended.head)
    else this.#hints.changed(told.changed)
  }
}
