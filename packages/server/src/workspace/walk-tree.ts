import type { Stats } from 'node:fs'
import { lstat, opendir } from 'node:fs/promises'
import { AgentError } from '@parley/protocol'
import type { HeldDirectory } from '../tools/file-ops/held-directory.ts'

/** One directory is held open per level. */
const MAX_DEPTH = 100

export type TreeEntry = {
  /** Where it is, held until the next entry is asked for. */
  directory: HeldDirectory
  name: string
  /** Relative to where the walk began, with `/`. */
  path: string
  stats: Stats
}

/** Directories (before what is in them) and regular files. Links are left out, and so are pipes, sockets and devices. */
export async function* walkTree(directory: HeldDirectory, above = '', depth = 0): AsyncGenerator<TreeEntry> {
  if (depth > MAX_DEPTH)
    throw new AgentError('invalid_path', `${above} is too deep: at most ${MAX_DEPTH} levels are taken.`)
  for (const name of await namesIn(directory)) {
    const stats = await lstat(directory.at(name)).catch(ifGone)
    if (!stats || !(stats.isFile() || stats.isDirectory())) continue
    const path = above === '' ? name : `${above}/${name}`
    yield { directory, name, path, stats }
    if (!stats.isDirectory()) continue
    const below = await directory.child(name).catch(ifGone)
    if (!below) continue
    await using held = below
    yield* walkTree(held, path, depth + 1)
  }
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
