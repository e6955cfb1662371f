import { rename } from 'node:fs/promises'
import { AgentError } from '@parley/protocol'
import { speakingOf } from './files/file-errors.ts'
import { holdEntry } from './files/hold.ts'
import { existing } from './files/replace-file.ts'
import { removeTree } from './remove-tree.ts'

/** Removes a file, a directory with everything in it, or a link itself. Returns its path. */
export async function removeEntry(workspace: string, path: string): Promise<string> {
  return speakingOf(path, async () => {
    await using entry = await holdEntry(workspace, path, { link: true })
    await removeTree(entry.directory, entry.name)
    return entry.path
  })
}

/** Gives something another name in the same directory. Returns the old path and the new one. */
export async function renameEntry(
  workspace: string,
  path: string,
  newName: string,
): Promise<{ from: string; to: string }> {
  demandName(newName)
  return speakingOf(path, async () => {
    await using entry = await holdEntry(workspace, path, { link: true })
    const { directory, name } = entry
    const to = entry.path.slice(0, entry.path.length - name.length) + newName
    if (name !== newName && (await existing(directory.at(newName))))
      throw new AgentError('invalid_payload', `${to} exists already. Choose another name.`)
    await rename(entry.at, directory.at(newName))
    return { from: entry.path, to }
  })
}

/** A name, not a path. */
export function demandName(name: string): void {
  if (name === '' || name === '.' || name === '..' || /[/\\\0]/.test(name))
    throw new AgentError('invalid_path', `${JSON.stringify(name)} is not a name: it must not be empty or hold a slash.`)
}
