import { constants, type Stats } from 'node:fs'
import { type FileHandle, lstat, open } from 'node:fs/promises'
import { AgentError } from '@parley/protocol'
import { speakingOf } from './file-errors.ts'
import type { HeldDirectory } from './held-directory.ts'
import { holdEntry, type MayTouch } from './hold.ts'

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants

export type OpenFile = AsyncDisposable & {
  handle: FileHandle
  stats: Stats
  /** Relative to the workspace, links resolved. */
  path: string
}

/**
 * Opens a regular file of the workspace for reading. A second name (hard link) of a file outside is not told apart:
 * nobody can make one from inside, where commands see nothing outside that they could link.
 */
export async function openFile(workspace: string, path: string, mayTouch?: MayTouch): Promise<OpenFile> {
  return speakingOf(path, async () => {
    await using entry = await holdEntry(workspace, path, { mayTouch })
    const { handle, stats } = await openRegular(entry.directory, entry.name, path)
    return { handle, stats, path: entry.path, [Symbol.asyncDispose]: () => handle.close() }
  })
}

/** Opens `name` in a held directory, following no link. `path` is what people call it. */
export async function openRegular(
  directory: HeldDirectory,
  name: string,
  path: string,
): Promise<{ handle: FileHandle; stats: Stats }> {
  // Before it is opened: a pipe would wait for its writer, and opening a device may do something.
  demandRegular(await lstat(directory.at(name)), path)
  const handle = await open(directory.at(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  try {
    const stats = await handle.stat()
    demandRegular(stats, path)
    return { handle, stats }
  } catch (error) {
    await handle.close()
    throw error
  }
}

export function demandRegular(stats: Stats, path: string): void {
  if (stats.isFile()) return
  if (stats.isDirectory()) throw new AgentError('invalid_path', `${path} is a directory, not a file. List it instead.`)
  throw new AgentError('invalid_path', `${path} is a ${kindOf(stats)}; only regular files can be used.`)
}

export function kindOf(stats: Stats): string {
  if (stats.isFIFO()) return 'pipe'
  if (stats.isSocket()) return 'socket'
  if (stats.isSymbolicLink()) return 'link'
  return stats.isDirectory() ? 'directory' : stats.isFile() ? 'file' : 'device'
}
