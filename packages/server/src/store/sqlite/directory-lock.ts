import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { LOCAL_FILES } from '@parley/protocol/wire'
import { StoreError } from '../errors.ts'
import { isBusy } from './lock-wait.ts'
import { keepPrivate } from './private-files.ts'
import { storageError } from './storage-error.ts'

/**
 * Holds the data directory for this process: an open exclusive transaction on a file of its own, which the operating
 * system ends with the process, however it dies. `server.json` beside it only names the holder, for the message.
 */
export function lockDirectory(directory: string): Disposable {
  let database: DatabaseSync | undefined
  const file = join(directory, 'server.lock')
  try {
    keepPrivate(file)
    database = new DatabaseSync(file, { timeout: 0 })
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
    writeFileSync(holderFile(directory), JSON.stringify({ pid: process.pid }), { mode: 0o600 })
  } catch (error) {
    database?.close()
    if (!isBusy(error)) throw storageError(error, directory, 'server.lock')
    throw new StoreError(
      'locked',
      `${directory} is in use by another Parley server${holderOf(directory)}. Stop it first, or set PARLEY_DATA_DIR to another directory.`,
    )
  }
  return { [Symbol.dispose]: () => database.close() }
}

const holderFile = (directory: string) => join(directory, LOCAL_FILES.holder)

function holderOf(directory: string): string {
  try {
    const { pid } = JSON.parse(readFileSync(holderFile(directory), 'utf8')) as { pid: number }
    return ` (process ${pid})`
  } catch {
    return '' // The name is a courtesy; the lock is what counts.
  }
}
