import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { lstat, open } from 'node:fs/promises'
import { join } from 'node:path'
import { FOLDER_LIMITS, type FolderEntry, FolderError, isExecutable, markOf, type WalkedFolder } from './walk-folder.ts'

type Listed = Omit<FolderEntry, 'isExecutable'>

export type AgentFile = { path: string; bytes: Buffer; isExecutable: boolean }

/**
 * Reads what `walkFolder` has listed; `undefined`: it is not what was listed any more. Throws a `FolderError` where a file
 * cannot be read, and the signal's reason after an abort.
 */
export async function readFolder({ entries }: WalkedFolder, signal?: AbortSignal): Promise<AgentFile[] | undefined> {
  const files: AgentFile[] = []
  for (const entry of entries) {
    signal?.throwIfAborted()
    const bytes = await readListed(entry)
    if (!bytes) return undefined
    files.push({ path: entry.path, isExecutable: entry.isExecutable, bytes })
  }
  return files
}

/** One that has become something else meanwhile, a pipe say or a file elsewhere, is not read, and holds nobody up. */
async function readListed({ path, real, bytes: size, mark }: Listed): Promise<Buffer | undefined> {
  try {
    await using file = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    if (markOf(await file.stat()) !== mark) return undefined
    const buffer = Buffer.alloc(size + 1)
    const { bytesRead } = await file.read(buffer, 0, size + 1, 0)
    return bytesRead === size ? buffer.subarray(0, size) : undefined
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO'].includes(code)) return undefined
    throw new FolderError([`${path}: cannot be read: ${message}`], { cause: error })
  }
}

/** Reads files of a copy by their paths, which stand in order; throws unless each is a file of an agent's size. */
export async function readPaths(directory: string, paths: readonly string[]): Promise<AgentFile[]> {
  const files: AgentFile[] = []
  for (const path of paths) {
    const real = join(directory, path)
    const stats = await lstat(real)
    const isOne = stats.isFile() && stats.size <= FOLDER_LIMITS.fileBytes
    const bytes = isOne ? await readListed({ path, real, bytes: stats.size, mark: markOf(stats) }) : undefined
    if (!bytes) throw new FolderError([`${path}: is no such file`])
    files.push({ path, bytes, isExecutable: isExecutable(stats) })
  }
  return files
}

/** Stands for an agent of this name with exactly these files, which are in the order of their paths. */
export function folderDigest(name: string, files: readonly AgentFile[]): string {
  const hash = createHash('sha256').update(`parley agent 1 ${name}\n`)
  for (const { path, bytes, isExecutable } of files)
    hash.update(`${JSON.stringify([path, bytes.length, isExecutable])}\n`).update(bytes)
  return hash.digest('hex')
}
