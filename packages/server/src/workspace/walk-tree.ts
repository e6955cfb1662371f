import type { Stats } from 'node:fs'
import { lstat, opendir } from 'node:fs/promises'
import { AgentError } from '@parley/protocol'
import type { HeldDirectory } from './files/held-directory.ts'
import { MAX_DEPTH } from './files/resolve-path.ts'

export type TreeEntry = {
  /** Where it is, held until the next entry is asked for. */
  directory: HeldDirectory
  name: string
  /** Relative to where the walk began, with `/`. */
  path: string
  stats: Stats
  /** A directory so deep that the walk does not go in: one directory is held open per level. */
  isCut: boolean
}

type Level = { directory: HeldDirectory; above: string; names: Iterator<string> }

/** Directories (before what is in them) and regular files. Links are left out, and so are pipes, sockets and devices. */
export async function* walkTree(top: HeldDirectory): AsyncGenerator<TreeEntry> {
  const levels: Level[] = [{ directory: top, above: '', names: (await namesIn(top)).values() }]
  try {
    for (let level = levels.at(-1); level; level = levels.at(-1)) {
      const { directory, above } = level
      const { value: name, done } = level.names.next()
      if (done) {
        levels.pop()
        if (directory !== top) await directory[Symbol.asyncDispose]()
        continue
      }
      const stats = await lstat(directory.at(name)).catch(ifGone)
      if (!stats || !(stats.isFile() || stats.isDirectory())) continue
      const path = above + name
      const isCut = stats.isDirectory() && levels.length >= MAX_DEPTH
      yield { directory, name, path, stats, isCut }
      if (stats.isDirectory() && !isCut) await enter(levels, { directory, name, path })
    }
  } finally {
    for (const { directory } of levels) if (directory !== top) await directory[Symbol.asyncDispose]()
  }
}

async function enter(
  levels: Level[],
  { directory, name, path }: Pick<TreeEntry, 'directory' | 'name' | 'path'>,
): Promise<void> {
  const below = await directory.child(name).catch(ifGone)
  if (!below) return
  const level: Level = { directory: below, above: `${path}/`, names: [].values() }
  levels.push(level) // first: whoever ends the walk closes it, also when its names cannot be read
  level.names = (await namesIn(below)).values()
}

const MAX_NAMES = 100_000

/** Sorted. A directory with more names than anybody reads is refused. */
export async function namesIn(directory: HeldDirectory): Promise<string[]> {
  const names: string[] = []
  for await (const { name } of await opendir(directory.at())) {
    if (names.length === MAX_NAMES)
      throw new AgentError('payload_too_large', `The directory has more than ${MAX_NAMES} entries.`)
    names.push(name)
  }
  return names.sort()
}

/** A tree that is worked on loses entries while it is walked. */
function ifGone(error: NodeJS.ErrnoException): undefined {
  if (!['ENOENT', 'ENOTDIR', 'ELOOP'].includes(error.code ?? '')) throw error
}
