import { AgentError } from '@parley/protocol'
import { type StorageTrouble, troubleOf } from './errors.ts'

/** What a client reads. The operator's own words name paths and hosts; they go to the log. */
const SAID: Record<StorageTrouble, string> = {
  storage_full: 'The disk of the server is full, so nothing was stored. Try again when there is room.',
  storage_locked:
    'Another program has locked the database of the server, so nothing was stored. Try again in a moment.',
  storage_unavailable: 'The storage of the server cannot be used just now. Try again in a moment.',
}

/** The same refusals by the file system. */
const BY_SYSTEM: Record<string, StorageTrouble> = {
  ENOSPC: 'storage_full',
  EDQUOT: 'storage_full',
  EROFS: 'storage_unavailable',
  EIO: 'storage_unavailable',
}

/** The error for clients when the database, or the disk, refused; `undefined` when it was something else. */
export function storageFailure(error: unknown): AgentError | undefined {
  const trouble = troubleOf(error) ?? BY_SYSTEM[(error as NodeJS.ErrnoException | undefined)?.code ?? '']
  return trouble && new AgentError(trouble, SAID[trouble], { cause: error })
}
