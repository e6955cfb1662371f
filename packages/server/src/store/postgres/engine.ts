import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresDialect,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely'
import pg from 'pg'
import type { Append, Appended } from '../append.ts'
import type { Engine, WriteOptions } from '../engine.ts'
import { type StorageTrouble, troubleOf } from '../errors.ts'
import { Hub } from '../hub.ts'
import { migrate } from '../migrate.ts'
import type { Schema } from '../schema.ts'
import type { Batch, Work } from '../work.ts'
import {
  commitUnknown,
  connectionOptions,
  databaseError,
  demandUrl,
  isConflict,
  isConnectionLoss,
} from './connection.ts'
import { GroupAppender } from './group-appender.ts'
import { Hints } from './hints.ts'

export type PostgresOptions = {
  url: string
  leaseMs: number
  /** Connections at most. Default 10. */
  poolSize?: number
  /** How often followed sessions are looked at when no hint came. Default 1 000 ms. */
  pollMs?: number
}

const ATTEMPTS = 5
const RETRY_MS = 100

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
  readonly #url: string
  readonly #begin: string
  readonly #appender: GroupAppender
  readonly #hints: Hints
  /** How the last write failed, if it did; a sign of life is one, so this is never older than a third of a lease. */
  #trouble: StorageTrouble | null = null

  constructor(pool: pg.Pool, { url, leaseMs, pollMs = 1_000 }: PostgresOptions) {
    this.#pool = pool
    this.#renewals = openPool(url, { max: 1, query_timeout: leaseMs })
    this.#url = url
    // Local settings, so that they hold behind a transaction pooler too.
    this.#begin = `BEGIN; SET LOCAL idle_in_transaction_session_timeout = ${Math.ceil(leaseMs / 3)}`
    this.#hints = new Hints({ url, pool, hub: this.hub, pollMs })
    this.#appender = new GroupAppender({ pool, url, leaseMs, onCommitted: (batch) => this.#committed(batch) })
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
    this.#hints.onNudge = listener
  }

  write<T>(work: () => Work<T>, options: WriteOptions<T> = {}): Promise<T> {
    return this.#noted(this.#write(work, options))
  }

  async trouble(): Promise<StorageTrouble | null> {
    return this.#trouble
  }

  read<T>(work: () => Work<T>): Promise<T> {
    return this.#retried(() => this.#readOnce(work))
  }

  select<R>(sql: string, parameters: readonly unknown[]): Promise<R[]> {
    return this.#retried(
      async () => (await this.#pool.query(numberedPlaceholders(sql), parameters as unknown[])).rows as R[],
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#appender.settled()
    await this.#hints.stop()
    await Promise.all([this.#pool.end(), this.#renewals.end()])
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
      const outcome = await this.#attempt(work, isRenewal ? this.#renewals : this.#pool)
      if (outcome.status === 'committed') return outcome.value
      if (outcome.status === 'unknown') {
        const found = await this.#confirmed(confirm, outcome.error)
        if (found !== undefined) return found
      }
      if (attempt === ATTEMPTS) throw databaseError(outcome.error, this.#url)
      await delay(attempt * RETRY_MS)
    }
  }

  async #retried<T>(read: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await read()
      } catch (error) {
        if (!isConnectionLoss(error) || attempt === ATTEMPTS) throw databaseError(error, this.#url)
        await delay(attempt * RETRY_MS)
      }
    }
  }

  async #readOnce<T>(work: () => Work<T>): Promise<T> {
    const client = await this.#pool.connect()
    let broken = true
    try {
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
      const value = await drive(client, work(), () => undefined)
      await client.query('COMMIT')
      broken = false
      return value
    } finally {
      client.release(broken)
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

  async #attempt<T>(work: () => Work<T>, pool: pg.Pool): Promise<Outcome<T>> {
    let client: pg.PoolClient
    try {
      client = await pool.connect()
    } catch (error) {
      if (isConnectionLoss(error)) return { status: 'retry', error }
      throw databaseError(error, this.#url)
    }
    const batches: Batch[] = []
    let committing = false
    let broken = true
    try {
      await client.query(this.#begin)
      const value = await drive(client, work(), (batch) => batches.push(batch))
      committing = true
      await client.query('COMMIT')
      broken = false
      for (const batch of batches) this.#committed(batch)
      return { status: 'committed', value }
    } catch (error) {
      if (isConnectionLoss(error)) return { status: committing ? 'unknown' : 'retry', error }
      broken = await client.query('ROLLBACK').then(
        () => false,
        () => true,
      )
      if (isConflict(error)) return { status: 'retry', error }
      throw databaseError(error, this.#url)
    } finally {
      client.release(broken)
    }
  }

  #committed(batch: Batch): void {
    this.hub.committed(batch)
    this.#hints.announce(batch.session_id, batch.head)
  }
}

type Outcome<T> =
  | { status: 'committed'; value: T }
  /** Certainly not committed. */
  | { status: 'retry'; error: unknown }
  | { status: 'unknown'; error: unknown }

async function drive<T>(client: pg.PoolClient, work: Work<T>, onAppended: (batch: Batch) => void): Promise<T> {
  let next = work.next()
  while (!next.done) {
    const step = next.value
    if ('appended' in step) {
      onAppended(step.appended)
      next = work.next([])
      continue
    }
    const { rows } = await client.query(
      step.portable ? numberedPlaceholders(step.sql) : step.sql,
      step.parameters as unknown[],
    )
    next = work.next(rows)
  }
  return next.value
}

const translated = new Map<string, string>()

/** `?` to `$1, $2 …`. Portable statements hold no `?` inside a literal. */
function numberedPlaceholders(sql: string): string {
  let text = translated.get(sql)
  if (text === undefined) {
    let count = 0
    text = sql.replaceAll('?', () => `$${++count}`)
    if (translated.size < 1_000) translated.set(sql, text)
  }
  return text
}

function openPool(url: string, options: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool({ ...connectionOptions(url), ...options })
  pool.on('error', () => undefined) // an idle connection died; the next query opens another
  // One that died in use says so by the query's rejection as well; unheard, this event would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
