import { randomUUID } from 'node:crypto'
import { lstat, opendir, realpath, rename, rmdir, unlink } from 'node:fs/promises'
import { HeldDirectory } from './files/held-directory.ts'

/** A directory is held open per level; what lies deeper is first moved up, which takes one more round. */
const MAX_DEPTH = 50
/** Something that fills a directory faster than it is emptied wins after this many rounds; a million levels are gone by then. */
const MAX_ROUNDS = 20_000
const BATCH = 1_000

/** Removes a file, a link (never what it points to) or a whole directory, however deep, and follows no link on the way. */
export async function removeTree(directory: HeldDirectory, name: string): Promise<void> {
  const at = directory.at(name)
  if (!(await lstat(at)).isDirectory()) return unlink(at)
  await using top = await directory.child(name)
  for (let round = 0; round < MAX_ROUNDS; round++) {
    await empty(top, { top, depth: 0 })
    if (await isRemoved(directory, name)) return
  }
  await rmdir(at)
}

/** The whole workspace of a session, if it has one, in the directory of all workspaces. */
export async function removeWorkspace(directory: string, session_id: string): Promise<void> {
  try {
    const real = await realpath(directory)
    await using all = await HeldDirectory.open(real, real)
    await removeTree(all, session_id)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

/** `top`: where what lies too deep is moved. */
type Round = { top: HeldDirectory; depth: number }

/** One round; what came meanwhile, or was moved up from too deep, is left for the next. */
async function empty(directory: HeldDirectory, { top, depth }: Round): Promise<void> {
  for (const { name, isDirectory } of await someEntries(directory)) {
    if (!isDirectory) await unlink(directory.at(name)).catch(ifGone)
    else if (depth === MAX_DEPTH) await rename(directory.at(name), top.at(`.removed-${randomUUID()}`)).catch(ifGone)
    else await removeDirectory(directory, name, { top, depth: depth + 1 })
  }
}

async function removeDirectory(above: HeldDirectory, name: string, below: Round): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const held = await above.child(name).catch(ifGone)
    if (!held) return
    {
      await using directory = held
      await empty(directory, below)
    }
    if (await isRemoved(above, name)) return
  }
}

/** `false`: there is something in it still. */
async function isRemoved(above: HeldDirectory, name: string): Promise<boolean> {
  try {
    await rmdir(above.at(name))
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOTEMPTY' || code === 'EEXIST') return false
    ifGone(error as NodeJS.ErrnoException)
    return true
  }
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
  if (!['ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP'].includes(error.code ?? '')) throw error
}
