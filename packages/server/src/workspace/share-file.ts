import { lstat, rename, rm, symlink } from 'node:fs/promises'
import { posix } from 'node:path'
import { AgentError } from '@parley/protocol'
import { speakingOf } from './files/file-errors.ts'
import { holdEntry } from './files/hold.ts'
import { existing } from './files/replace-file.ts'
import { temporaryName } from './files/temporary-name.ts'
import { demandName } from './change-entry.ts'

const FOLDER = '.share'

export type ShareFile = {
  source_path: string
  /** Default: the name of what is shared. */
  link_name: string
  /** Below `.share`; default that folder itself. */
  share_folder: string
}

/** Puts a link to something of the workspace into its `.share` folder; one of the same name is replaced. */
export async function shareFile(
  workspace: string,
  { source_path, link_name, share_folder }: ShareFile,
): Promise<{ path: string; target: string }> {
  await using source = await speakingOf(source_path, () => holdEntry(workspace, source_path))
  await speakingOf(source_path, () => lstat(source.at))
  const name = link_name === '' ? source.name : link_name
  demandName(name)
  const folder = posix.normalize(`${FOLDER}/${share_folder}`)
  if (share_folder.startsWith('/') || (folder !== FOLDER && !folder.startsWith(`${FOLDER}/`)))
    throw new AgentError('invalid_path', `${share_folder} is outside ${FOLDER}.`)
  const wanted = posix.join(folder, name)
  return speakingOf(wanted, async () => {
    await using entry = await holdEntry(workspace, wanted, { link: true, make: true })
    const old = await existing(entry.at)
    if (old && !old.isSymbolicLink()) throw new AgentError('invalid_payload', `${wanted} exists and is not a link.`)
    const temporary = entry.directory.at(temporaryName())
    try {
      await symlink(posix.relative(posix.dirname(entry.path), source.path), temporary)
      await rename(temporary, entry.at)
    } finally {
      await rm(temporary, { force: true })
    }
    return { path: entry.path, target: source.path }
  })
}
