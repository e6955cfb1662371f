import type { Kysely } from 'kysely'
import type { Append, Appended } from './append.ts'
import type { StorageTrouble } from './errors.ts'
import type { Hub } from './hub.ts'
import type { Schema } from './schema.ts'
import type { Timers } from './timers.ts'
import type { Work } from './work.ts'

export type WriteOptions<T> = {
  /**
   * `full`: on disk before the promise resolves, power cut included. `normal`: survives a crash of the process; a power
   * cut may take back the last moments. Only text increments are `normal`.
   */
  durability?: 'full' | 'normal'
  /**
   * Asked after a commit whose outcome is unknown: finds what this work wrote, by an id that only it uses, or returns
   * `undefined` if it never arrived, and then the work is run again. Without it such a commit is `commit_unknown`.
   */
  confirm?: () => Work<T | undefined>
  /** A renewal: it never waits for a connection that others use. */
  isRenewal?: true
}

/** One of the two databases. All writing and reading goes through these; nobody else holds a connection. */
export interface Engine extends AsyncDisposable {
  readonly kind: 'sqlite' | 'postgres'
  /** Builds queries of this engine's dialect. It cannot run them: `write` and `read` do. */
  readonly db: Kysely<Schema>
  readonly hub: Hub
  readonly timers: Timers
  /** One transaction. A throw rolls back this work alone, also where several share a commit. */
  write<T>(work: () => Work<T>, options?: WriteOptions<T>): Promise<T>
  /** One consistent picture of the database, never from a replica. */
  read<T>(work: () => Work<T>): Promise<T>
  /** One statement is a consistent picture by itself: `read` without the transaction around it. Placeholders are `?`. */
  select<R>(sql: string, parameters: readonly unknown[]): Promise<R[]>
  /** Tells the other instances that something was asked of this session's run; the owner looks. A hint, like all hints. */
  nudge(session_id: string): void
  /** Also of those that this instance sends itself. */
  onNudge(listener: (session_id: string) => void): void
  /** The journal's append; group-committed with whatever else is pending. See `append.ts`. */
  append(append: Append): Promise<Appended>
  /** Whether writes succeed just now; answers within a second. */
  trouble(): Promise<StorageTrouble | null>
}
