import { randomUUID } from 'node:crypto'
import { lstat, opendir, rename, rmdir, unlink } from 'node:fs/promises'
import type { HeldDirectory } from '../tools/file-ops/held-directory.ts'

/** A directory is held open per level; what lies deeper is first moved up. */
const MAX_DEPTH = 50
/** Something that fills a directory faster than it is emptied wins after this many rounds. */
const MAX_ROUNDS = 1_000
const BATCH = 1_000

/** Removes a file, a link (never what it points to) or a whole directory, however deep, and follows no link on the way. */
export async function removeTree(directory: HeldDirectory, name: string): Promise<void> {
  const at = directory.at(name)
  if (!(await lstat(at)).isDirectory()) return unlink(at)
  {
    await using top = await directory.child(name)
    await empty(top, top, 0)
  }
  await rmdir(at)
}

async function empty(directory: HeldDirectory, top: HeldDirectory, depth: number): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const entries = await someEntries(directory)
    if (entries.length === 0) return
    for (const { name, isDirectory } of entries) {
      if (!isDirectory) await unlink(directory.at(name)).catch(ifGone)
      else if (depth === MAX_DEPTH) await rename(directory.at(name), top.at(`.removed-${randomUUID()}`)).catch(ifGone)
      else await removeDirectory(directory, name, top, depth)
    }
  }
}

async function removeDirectory(above: HeldDirectory, name: string, top: HeldDirectory, depth: number): Promise<void> {
  const held = await above.child(name).catch(ifGone)
  if (!held) return
  {
    await using directory = held
    await empty(directory, top, depth + 1)
  }
  await rmdir(above.at(name)).catch(ifGone)
}

async function someEntries(directory: HeldDirectory): Promise<{ name: string; isDirectory: boolean }[]> {
  const entries: { name: string; isDirectory: boolean }[] = []
  for await (const entry of await opendir(directory.at())) {
    entries.push({ name: entry.name, isDirectory: entry.isDirectory() })
    if (entries.length === BATCH) break
  }
  return entries
}

/** Somebody else removed it, or it is something else by now: the next round sees. */
function ifGone(error: NodeJS.ErrnoException): undefined {
  if (!['ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP', 'ENOTEMPTY'].includes(error.code ?? '')) throw error
}
