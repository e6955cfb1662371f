import { realpath, stat } from 'node:fs/promises'
import { AgentError } from '@parley/protocol'
import { speakingOf } from './file-errors.ts'
import { kindOf } from './open-file.ts'
import { insideWorkspace, workspacePath } from './workspace.ts'

export type SearchPlace = {
  /** The workspace's real path. */
  root: string
  /** Relative to it, links resolved. */
  path: string
  isDirectory: boolean
}

/** Where a search may begin: a directory or a regular file of the workspace. A pipe would be waited for. */
export async function searchPlace(workspace: string, path: string): Promise<SearchPlace> {
  return speakingOf(path, async () => {
    const real = await insideWorkspace(workspace, path)
    const stats = await stat(real)
    if (!stats.isDirectory() && !stats.isFile())
      throw new AgentError('invalid_path', `${path} is a ${kindOf(stats)}; only directories and files are searched.`)
    return {
      root: await realpath(workspace),
      path: await workspacePath(workspace, real),
      isDirectory: stats.isDirectory(),
    }
  })
}
