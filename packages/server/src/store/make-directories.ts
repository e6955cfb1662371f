import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes a directory and those above it, for this user alone. Not Node's own `recursive`: where a file system says "no such
 * file" to every new name, as /proc does, that tries for ever.
 */
export function makeDirectories(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return
    if (code !== 'ENOENT' || dirname(path) === path) throw error
    makeDirectories(dirname(path))
    mkdirSync(path, { mode: 0o700 })
  }
}
