import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { FolderError, type WalkedFolder } from './walk-folder.ts'

export type AgentFile = { path: string; bytes: Buffer; isExecutable: boolean }

/** Reads what `walkFolder` has listed. */
export async function readFolder({ entries }: WalkedFolder): Promise<AgentFile[]> {
  const files: AgentFile[] = []
  for (const { path, real, bytes, isExecutable } of entries)
    files.push({ path, isExecutable, bytes: await readExactly(path, real, bytes) })
  return files
}

/** One that has become something else meanwhile, a pipe say, must not hold the server up. */
async function readExactly(path: string, real: string, size: number): Promise<Buffer> {
  await using file = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  const buffer = Buffer.alloc(size + 1)
  const { bytesRead } = await file.read(buffer, 0, size + 1, 0)
  if (bytesRead !== size) throw new FolderError([`${path}: was changed while it was read`])
  return buffer.subarray(0, size)
}

/** Stands for an agent of this name with exactly these files, which are in the order of their paths. */
export function folderDigest(name: string, files: readonly AgentFile[]): string {
  const hash = createHash('sha256').update(`parley agent 1 ${name}\n`)
  for (const { path, bytes, isExecutable } of files)
    hash.update(`${JSON.stringify([path, bytes.length, isExecutable])}\n`).update(bytes)
  return hash.digest('hex')
}
