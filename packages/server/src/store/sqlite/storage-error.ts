import { isStoreError, StoreError } from '../errors.ts'
import { isBusy, lockedError } from './lock-wait.ts'

const SQLITE_READONLY = 8
const SQLITE_IOERR = 10
const SQLITE_CORRUPT = 11
const SQLITE_FULL = 13
const SQLITE_CANTOPEN = 14
const SQLITE_PROTOCOL = 15
const SQLITE_NOTADB = 26

/** Says what happened, to what, and what to do next. Errors that are not about storage pass unchanged. */
export function storageError(error: unknown, directory: string, file = 'parley.sqlite'): unknown {
  if (!(error instanceof Error) || isStoreError(error)) return error
  const options = { cause: error }
  if (isBusy(error)) return lockedError(directory, error)
  const { errcode, code } = error as { errcode?: number; code?: string }
  switch (errcode === undefined ? undefined : errcode & 0xff) {
    case SQLITE_FULL:
      return new StoreError(
        'full',
        `The disk that holds ${directory} is full. Nothing was written. Free some space and try again.`,
        options,
      )
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
      return new StoreError(
        'unavailable',
        `Cannot write to ${directory}. Check its permissions, or set PARLEY_DATA_DIR to another directory.`,
        options,
      )
    case SQLITE_IOERR:
    case SQLITE_PROTOCOL: // locks that do not work, as on some network file systems
      return new StoreError(
        'unavailable',
        `The disk that holds ${directory} reports an error (${error.message}). Nothing was written.`,
        options,
      )
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return new StoreError(
        'corrupt',
        `${directory}/${file} is damaged or not a database. It was left untouched. Restore a backup, or move it away to start empty.`,
        options,
      )
    default:
      break
  }
  switch (code) {
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
    case 'ENOENT': // where nothing can be made, such as /proc
    case 'ENOTDIR':
    case 'EISDIR':
    case 'EEXIST':
    case 'ELOOP':
    case 'ENAMETOOLONG':
    case 'EIO':
      return new StoreError(
        'unavailable',
        `Cannot use ${directory} as the data directory (${code}). Check the path and its permissions, or set PARLEY_DATA_DIR.`,
        options,
      )
    case 'ENOSPC':
    case 'EDQUOT':
      return new StoreError('full', `The disk that holds ${directory} is full. Free some space and try again.`, options)
    default:
      return error
  }
}
