import type { HeldDirectory } from './files/held-directory.ts'
import { isTemporary } from './files/temporary-name.ts'
import { removeTree } from './remove-tree.ts'
import { walkTree } from './walk-tree.ts'

/**
 * Removes what a crash has left half-made in one workspace: temporary files and uploads that nobody has touched since
 * `before`, in milliseconds. Returns where they were.
 */
export async function sweepLeftovers(workspace: HeldDirectory, before: number): Promise<string[]> {
  const removed: string[] = []
  for await (const { directory, name, path, stats } of walkTree(workspace)) {
    // Not the time of its content, which a copy may have kept.
    if (!isTemporary(name) || stats.ctimeMs > before) continue
    await removeTree(directory, name)
    removed.push(path)
  }
  return removed
}
