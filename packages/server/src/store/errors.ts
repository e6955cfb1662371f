/**
 * What can go wrong between us and the database. Checked by `code`, never by `instanceof`; so none of these is an error code
 * of the protocol, and none of their messages, which name paths and hosts, reaches a client.
 */
export type StoreErrorCode =
  /** The epoch is no longer ours: nothing was written. The run stops here; somebody else carries it on. */
  | 'fenced'
  /** The session has no gate row: it was deleted, or never was. */
  | 'session_gone'
  /** The reader's position cannot be continued from (pruned, skipped or unknown): read a snapshot and start there. */
  | 'resync'
  /** The database cannot be reached, or refused us. */
  | 'unavailable'
  /** The connection broke while a commit was on its way, and nobody can tell us how it ended. */
  | 'commit_unknown'
  /** The disk is full: nothing was written. */
  | 'full'
  /** Another program has locked the database, for longer than anybody waits: nothing was written. */
  | 'busy'
  /** The database is damaged, or is no database. */
  | 'corrupt'
  /** Another server holds the data directory. */
  | 'locked'
  /** The database was upgraded by a newer server that this one cannot read after. */
  | 'too_old'

export class StoreError extends Error {
  readonly code: StoreErrorCode

  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'StoreError'
    this.code = code
  }
}

/** One of these, or any when none is named. */
export function isStoreError(error: unknown, ...codes: StoreErrorCode[]): error is StoreError {
  return (
    error instanceof Error &&
    error.name === 'StoreError' &&
    (codes.length === 0 || codes.includes((error as StoreError).code))
  )
}

/** Why the store takes no writes just now, in the words that clients and health know. */
export type StorageTrouble = 'storage_full' | 'storage_locked' | 'storage_unavailable'

/** `null` for an error that tells nothing about the store. */
export function troubleOf(error: unknown): StorageTrouble | null {
  if (isStoreError(error, 'full')) return 'storage_full'
  if (isStoreError(error, 'busy')) return 'storage_locked'
  return isStoreError(error, 'unavailable', 'corrupt') ? 'storage_unavailable' : null
}
