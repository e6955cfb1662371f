import { constants, type Stats } from 'node:fs'
import { chmod, lstat, open, readlink, rename, rm, symlink } from 'node:fs/promises'
import { type HeldDirectory, makeDirectory } from '../workspace/files/held-directory.ts'
import { existing } from '../workspace/files/replace-file.ts'
import { MAX_DEPTH } from '../workspace/files/resolve-path.ts'
import { isTemporary, temporaryName } from '../workspace/files/temporary-name.ts'
import { removeTree } from '../workspace/remove-tree.ts'
import { namesIn } from '../workspace/walk-tree.ts'
import { type Contents, readInto } from './contents.ts'
import type { Entry, Manifest } from './manifest.ts'
import { isSame, modeOf } from './take-state.ts'

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants
const AT_ONCE = 16
const OWNER_MAY_ALL = 0o700

export type PuttingBack = { manifest: Manifest; contents: Contents; signal: AbortSignal }

type FileEntry = Extract<Entry, { type: 'file' }>

/**
 * Makes the workspace what the manifest says: only what differs is written, each file at once, and what came since is
 * removed. Begun again after a crash, it finds half of the work done. Nothing else may change the workspace meanwhile.
 */
export async function putBack(workspace: HeldDirectory, back: PuttingBack): Promise<void> {
  await restoreDirectory(workspace, '', back)
}

async function restoreDirectory(directory: HeldDirectory, path: string, back: PuttingBack): Promise<void> {
  const { manifest, signal } = back
  const wanted = manifest.get(path) ?? new Map<string, Entry>()
  for (const name of await namesIn(directory)) {
    signal.throwIfAborted()
    if (!wanted.has(name) && !isTemporary(name)) await removeKept(directory, name)
  }
  const entries = [...wanted]
  for (let from = 0; from < entries.length; from += AT_ONCE) {
    signal.throwIfAborted()
    const some = entries.slice(from, from + AT_ONCE)
    const done = some.map(([name, entry]) => restoreEntry(directory, name, { entry, back }))
    await Promise.allSettled(done)
    await Promise.all(done)
  }
  for (const [name, entry] of entries)
    if (entry.type === 'directory')
      await restoreBelow(directory, name, { path: path === '' ? name : `${path}/${name}`, mode: entry.mode, back })
}

/** Everything but what is in a directory. */
async function restoreEntry(
  directory: HeldDirectory,
  name: string,
  { entry, back }: { entry: Entry; back: PuttingBack },
): Promise<void> {
  if (entry.type === 'left') return
  const at = directory.at(name)
  const old = await existing(at)
  if (entry.type === 'directory') {
    if (old?.isDirectory()) return
    if (old) await removeEntry(directory, name)
    await makeDirectory(directory, name)
    return
  }
  if (old?.isFile() && entry.type === 'file' && (await hasContent(at, old, entry))) {
    if (modeOf(old) !== entry.mode) await chmod(at, entry.mode)
    return
  }
  if (old?.isSymbolicLink() && entry.type === 'link' && (await readlink(at)) === entry.target) return
  const temporary = directory.at(temporaryName())
  try {
    if (entry.type === 'link') await symlink(entry.target, temporary)
    else await makeFile(directory, temporary, { entry, back })
    // A name is never given from a directory to something else.
    if (old?.isDirectory()) await removeEntry(directory, name)
    await rename(temporary, at)
  } finally {
    await rm(temporary, { force: true })
  }
}

async function restoreBelow(
  above: HeldDirectory,
  name: string,
  { path, mode, back }: { path: string; mode: number; back: PuttingBack },
): Promise<void> {
  const at = above.at(name)
  const now = modeOf(await lstat(at))
  if ((now & OWNER_MAY_ALL) !== OWNER_MAY_ALL) await chmod(at, now | OWNER_MAY_ALL)
  {
    await using directory = await above.child(name)
    await restoreDirectory(directory, path, back)
  }
  if (modeOf(await lstat(at)) !== mode) await chmod(at, mode)
}

async function hasContent(at: string, stats: Stats, { seen, size, sha256 }: FileEntry): Promise<boolean> {
  if (stats.size !== size) return false
  if (seen && isSame(seen, stats)) return true
  try {
    await using file = await open(at, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    return (await readInto(file, { size, offset: 0 }, async () => undefined)) === sha256
  } catch (error) {
    // Made unreadable since: a new one takes its place.
    if ((error as NodeJS.ErrnoException).code === 'EACCES') return false
    throw error
  }
}

async function makeFile(
  directory: HeldDirectory,
  temporary: string,
  { entry, back }: { entry: FileEntry; back: PuttingBack },
): Promise<void> {
  await using file = await open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
  await back.contents.copyTo(file, entry)
  await directory.giveToOwner(file)
  await file.chmod(entry.mode)
  await file.datasync()
}

/** Pipes, sockets and devices are in no state: they stay. */
async function removeKept(directory: HeldDirectory, name: string): Promise<void> {
  const old = await existing(directory.at(name))
  if (old && (old.isFile() || old.isDirectory() || old.isSymbolicLink())) await removeEntry(directory, name)
}

async function removeEntry(directory: HeldDirectory, name: string): Promise<void> {
  try {
    await removeTree(directory, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error
    await openUp(directory, name, 1)
    await removeTree(directory, name)
  }
}

/** What a command has shut could not be emptied. */
async function openUp(above: HeldDirectory, name: string, depth: number): Promise<void> {
  const at = above.at(name)
  const mode = modeOf(await lstat(at))
  if ((mode & OWNER_MAY_ALL) !== OWNER_MAY_ALL) await chmod(at, mode | OWNER_MAY_ALL)
  if (depth === MAX_DEPTH) return
  await using directory = await above.child(name)
  for (const below of await namesIn(directory))
    if ((await existing(directory.at(below)))?.isDirectory()) await openUp(directory, below, depth + 1)
}
