import { lstat } from 'node:fs/promises'
import { posix } from 'node:path'
import { holdDirectory } from './hold.ts'

/**
 * Those of the paths that are regular files of the workspace. ripgrep goes by names: while it walks, a command in the
 * workspace can swap a directory for a link, and it would tell what lies outside.
 */
export async function onlyInside(workspace: string, paths: readonly string[]): Promise<string[]> {
  const inside = new Set<string>()
  for (const [directory, files] of Map.groupBy(paths, (path) => posix.dirname(path)))
    for (const file of await filesIn(workspace, directory, files)) inside.add(file)
  return paths.filter((path) => inside.has(path))
}

async function filesIn(workspace: string, directory: string, paths: readonly string[]): Promise<string[]> {
  try {
    await using held = await holdDirectory(workspace, directory)
    const are = await Promise.all(
      paths.map((path) =>
        lstat(held.at(posix.basename(path))).then(
          (stats) => stats.isFile(),
          () => false,
        ),
      ),
    )
    return paths.filter((_, index) => are[index])
  } catch {
    return []
  }
}
