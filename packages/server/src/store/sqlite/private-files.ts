import { chmodSync, closeSync, openSync, statSync } from 'node:fs'

/** What SQLite keeps beside a database. It takes the mode of the database, but only when it makes them. */
const BESIDE = ['-wal', '-shm', '-journal']

/** Makes the file of a database, if need be, and sees to it that nobody else on this machine reads it. */
export function keepPrivate(file: string): void {
  closeSync(openSync(file, 'a', 0o600))
  for (const path of [file, ...BESIDE.map((suffix) => file + suffix)]) tighten(path)
}

function tighten(path: string): void {
  try {
    const { mode } = statSync(path)
    if ((mode & 0o077) !== 0) chmodSync(path, mode & 0o700)
  } catch (error) {
    // Not there; or another user's, who let us use it and decides who else may.
    if (!['ENOENT', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}
