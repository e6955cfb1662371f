import { AgentError } from '@parley/protocol'
import { speakingOf } from '../../workspace/files/file-errors.ts'
import { lookAt, type MayTouch } from '../../workspace/files/hold.ts'
import { kindOf } from '../../workspace/files/open-file.ts'

export type SearchPlace = {
  /** Relative to the workspace, links resolved. */
  path: string
  isDirectory: boolean
}

/** Where a search may begin: a directory or a regular file of the workspace. A pipe would be waited for. */
export async function searchPlace(workspace: string, asked: string, mayTouch?: MayTouch): Promise<SearchPlace> {
  return speakingOf(asked, async () => {
    const { stats, path } = await lookAt(workspace, asked, mayTouch)
    if (!stats.isDirectory() && !stats.isFile())
      throw new AgentError('invalid_path', `${asked} is a ${kindOf(stats)}; only directories and files are searched.`)
    return { path, isDirectory: stats.isDirectory() }
  })
}
