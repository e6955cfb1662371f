import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { lstat, open } from 'node:fs/promises'
import { join } from 'node:path'
import { FOLDER_LIMITS, type FolderEntry, FolderError, isExecutable, markOf, type WalkedFolder } from './walk-folder.ts'

export type AgentFile = { path: string; bytes: Buffer; isExecutable: boolean }

/** Reads what `walkFolder` has listed; throws the signal's reason after an abort. */
export async function readFolder({ entries }: WalkedFolder, signal?: AbortSignal): Promise<AgentFile[]> {
  const files: AgentFile[] = []
  for (const entry of entries) {
    signal?.throwIfAborted()
    files.push({ path: entry.path, isExecutable: entry.isExecutable, bytes: await readListed(entry) })
  }
  return files
}

/** One that has become something else meanwhile, a pipe say or a file elsewhere, is not read, and holds nobody up. */
async function readListed({ path, real, bytes: size, mark }: Omit<FolderEntry, 'isExecutable'>): Promise<Buffer> {
  await using file = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  const changed = () => new FolderError([`${path}: was changed while it was read`])
  if (markOf(await file.stat()) !== mark) throw changed()
  const buffer = Buffer.alloc(size + 1)
  const { bytesRead } = await file.read(buffer, 0, size + 1, 0)
  if (bytesRead !== size) throw changed()
  return buffer.subarray(0, size)
}

/** Reads files of a copy by their paths, which stand in order; throws unless each is a file of an agent's size. */
export async function readPaths(directory: string, paths: readonly string[]): Promise<AgentFile[]> {
  const files: AgentFile[] = []
  for (const path of paths) {
    const real = join(directory, path)
    const stats = await lstat(real)
    if (!stats.isFile() || stats.size > FOLDER_LIMITS.fileBytes) throw new FolderError([`${path}: is no such file`])
    const bytes = await readListed({ path, real, bytes: stats.size, mark: markOf(stats) })
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
