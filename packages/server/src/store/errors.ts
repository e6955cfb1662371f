/** What can go wrong between us and the database. Checked by `code`, never by `instanceof`. */
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
  /** The disk is full or not writable: nothing was written. */
  | 'storage_full'
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
