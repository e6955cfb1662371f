import type { Stats } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { posix } from 'node:path'
import { z } from 'zod'
import { speakingOf } from './files/file-errors.ts'
import type { HeldDirectory } from './files/held-directory.ts'
import { holdDirectory, lookAt } from './files/hold.ts'
import { namesIn } from './walk-tree.ts'

export const listedEntrySchema = z.object({
  name: z.string(),
  /** Seen from the workspace, as the other routes take it. */
  path: z.string(),
  type: z.enum(['file', 'directory']),
  is_dir: z.boolean(),
  size: z.int().optional(),
  modified_at: z.string().optional(),
})
export type ListedEntry = z.infer<typeof listedEntrySchema>

const AT_ONCE = 32

/** Directories first, then by name. A link is listed as what it points to; one that leads out, as a bare name. */
export async function listDirectory(workspace: string, path: string): Promise<ListedEntry[]> {
  return speakingOf(path, async () => {
    await using directory = await holdDirectory(workspace, path)
    const names = await namesIn(directory)
    const entries: ListedEntry[] = []
    for (let from = 0; from < names.length; from += AT_ONCE) {
      const some = names.slice(from, from + AT_ONCE)
      const found = await Promise.all(some.map((name) => describe({ workspace, path, directory }, name)))
      entries.push(...found.filter((entry) => entry !== undefined))
    }
    return [...entries.filter(isDirectory), ...entries.filter((entry) => !isDirectory(entry))]
  })
}

type Place = { workspace: string; path: string; directory: HeldDirectory }

async function describe({ workspace, path, directory }: Place, name: string): Promise<ListedEntry | undefined> {
  const stats = await lstat(directory.at(name)).catch(() => undefined)
  if (!stats) return undefined
  const target = stats.isSymbolicLink() ? await targetOf(workspace, `${path}/${name}`) : stats
  const where = { name, path: posix.join(path, name) }
  if (!target) return { ...where, type: 'file', is_dir: false }
  const modified_at = target.mtime.toISOString()
  if (target.isDirectory()) return { ...where, type: 'directory', is_dir: true, modified_at }
  return { ...where, type: 'file', is_dir: false, ...(target.isFile() && { size: target.size }), modified_at }
}

async function targetOf(workspace: string, path: string): Promise<Stats | undefined> {
  try {
    return (await lookAt(workspace, path)).stats
  } catch {
    return undefined
  }
}

function isDirectory({ is_dir }: ListedEntry): boolean {
  return is_dir
}
