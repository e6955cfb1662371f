import { chmodSync, readdirSync, statSync } from 'node:fs'
import { makeDirectories } from './store/make-directories.ts'
import { storageError } from './store/sqlite/storage-error.ts'

/** What a server leaves in its data directory. */
const OURS =
  /^(parley\.sqlite|server\.lock)(-wal|-shm|-journal)?$|^(server\.json|secret|owner\.key)(\.next)?$|^(workspaces|skills|background|agent-versions|sandbox-trial-.*|lost\+found)$/

/**
 * Makes the data directory, for this user alone. One that was open to others is closed, if it holds nothing but what is
 * ours; with anything else in it (`/tmp`, a home) that is not for us to decide. Returns what the operator should know.
 */
export function prepareDataDirectory(path: string): string | null {
  try {
    makeDirectories(path)
    const { mode, uid } = statSync(path)
    if (process.platform === 'win32' || (mode & 0o077) === 0) return null
    const isOurs = uid === process.getuid?.() && readdirSync(path).every((name) => OURS.test(name))
    if (!isOurs) return `${path} can be read by other users of this machine. Run: chmod 700 ${path}`
    chmodSync(path, 0o700)
    return null
  } catch (error) {
    throw storageError(error, path)
  }
}
