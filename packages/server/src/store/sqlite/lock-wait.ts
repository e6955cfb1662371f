import { StoreError } from '../errors.ts'
import type { Timers } from '../timers.ts'

const SQLITE_BUSY = 5

/** How long anybody waits for a database that another program has locked: less than clients wait for an answer. */
export const LOCK_PATIENCE_MS = 3_000
/** How often it is tried meanwhile. SQLite's own waiting would stop this thread, and with it the whole server. */
export const LOCK_RETRY_MS = 25

/** Another program, such as a backup or a database shell, has the database just now. Nothing was done. */
export function isBusy(error: unknown): boolean {
  const { errcode } = error as { errcode?: number }
  return errcode !== undefined && (errcode & 0xff) === SQLITE_BUSY
}

export function lockedError(directory: string, cause?: unknown): StoreError {
  return new StoreError(
    'busy',
    `Another program has locked ${directory}/parley.sqlite, perhaps a backup or a database shell. Nothing was written. Close it and try again.`,
    { cause },
  )
}

/** Runs it as soon as nobody else has the database; `busy` when that takes too long. */
export async function whenFree<T>(
  work: () => T | Promise<T>,
  directory: string,
  { timers, patienceMs = LOCK_PATIENCE_MS }: { timers: Timers; patienceMs?: number },
): Promise<T> {
  for (const since = timers.elapsed(); ; await timers.sleep(LOCK_RETRY_MS)) {
    try {
      return await work()
    } catch (error) {
      if (!isBusy(error)) throw error
      if (timers.elapsed() - since > patienceMs) throw lockedError(directory, error)
    }
  }
}
