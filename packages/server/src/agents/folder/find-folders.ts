import type { Dirent } from 'node:fs'
import { readdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import type { FolderKind } from './folder-kind.ts'
import { FolderError, shownName, walkFolder, type WalkedFolder } from './walk-folder.ts'

const MAX_FOLDERS = 200

/** The folders in a directory of all, and what is wrong with it; without `names` it cannot be read. */
export async function findFolders(
  directory: string,
  { noun, isName, characters }: FolderKind,
): Promise<{ names?: string[]; problems: string[]; isAbsent?: boolean }> {
  try {
    const entries = await readdir(directory, { withFileTypes: true })
    const folders = entries.filter(isFolder).map(({ name }) => name)
    const meant = folders.filter((name) => !name.startsWith('.') && name !== 'node_modules').sort()
    const names = meant.filter(isName)
    const problems = meant
      .filter((name) => !isName(name))
      .map((name) => `/${shownName(name)}: is no name for ${noun}; ${characters}`)
    if (names.length > MAX_FOLDERS) problems.push(`: holds ${names.length} folders; the first ${MAX_FOLDERS} count`)
    return { names: names.slice(0, MAX_FOLDERS), problems }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return { problems: [`: cannot be read: ${message}`], isAbsent: code === 'ENOENT' }
  }
}

/** `undefined`: it changed meanwhile. `gone`: it is not there any more, while the directory of all is. */
export async function walkAgent(
  directory: string,
  name: string,
  signal: AbortSignal,
): Promise<WalkedFolder | FolderError | 'gone' | undefined> {
  try {
    const folder = join(directory, name)
    if ((await realpath(folder)) !== join(await realpath(directory), name))
      return new FolderError([': is a link; the folder lies here itself'])
    return await walkFolder(folder, signal)
  } catch (error) {
    if (signal.aborted) throw error
    if (error instanceof FolderError) return error
    const { code, message } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    if (!['ENOENT', 'ENOTDIR'].includes(code)) return new FolderError([`: cannot be read: ${message}`])
    return (await isGone(directory, name)) ? 'gone' : undefined
  }
}

/** A directory of all that cannot be read says nothing about its folders. */
async function isGone(directory: string, name: string): Promise<boolean> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => undefined)
  return entries !== undefined && !entries.some((entry) => entry.name === name && isFolder(entry))
}

function isFolder(entry: Dirent): boolean {
  return entry.isDirectory() || entry.isSymbolicLink()
}
