import type { Compilable, CompiledQuery } from 'kysely'

/**
 * A unit of database work, written once for both engines: a generator that yields statements and gets their rows.
 * SQLite drives it in one synchronous go, so that no `await` can lie inside a write transaction; PostgreSQL drives it
 * statement by statement. It may be run again from the start, so it changes nothing outside the database.
 */
export type Work<T> = Generator<Step, T, unknown[]>

export type Step = { sql: string; parameters: readonly unknown[]; portable?: true } | Told

/** What a work tells its engine, to be passed on once it has committed. */
export type Told =
  /** So that readers of the journal are woken. */
  | { appended: Batch }
  /** So that the programs of a user look again. */
  | { changed: AccountChange }

/** An event as it lies in the journal. `data` is the wire payload as JSON text, without `session_id` and `event_seq`. */
export type StoredEvent = {
  session_id: string
  event_seq: number
  /** Milliseconds since 1970; never goes back within a session. */
  at: number
  run_id: string | null
  loop_id: string | null
  turn_id: string | null
  type: string
  data: string
}

/**
 * Something of a user's is not what it was: a session of theirs, or what waits for them. A hint: whoever gets it reads
 * again, whoever misses it reads later. `session_id` is `null` where it is no session in particular.
 */
export type AccountChange = { user_id: string; session_id: string | null; inbox: boolean }

/** Events of one session that one commit stored, numbered `base + 1 … head` without a gap. */
export type Batch = { session_id: string; base: number; head: number; events: readonly StoredEvent[] }

/** Runs a query inside a work and hands back its rows. */
export function* run<R>(query: Compilable<R>): Work<R[]> {
  const { sql, parameters }: CompiledQuery<R> = query.compile()
  return (yield { sql, parameters }) as R[]
}

/** For the hot path: hand-written SQL with `?` placeholders that both engines understand, compiled by nobody. */
export function* runSql<R>(sql: string, parameters: readonly unknown[]): Work<R[]> {
  return (yield { sql, parameters, portable: true }) as R[]
}
