import { lstat, readdir, realpath, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'

/** What one agent's folder may hold. */
export const FOLDER_LIMITS = {
  files: 1_000,
  /** Of one file. */
  fileBytes: 4 * 1024 * 1024,
  /** Of all files together. */
  bytes: 8 * 1024 * 1024,
  /** Folders in folders. */
  depth: 8,
  pathCharacters: 200,
}

/** The folder cannot become a version; each problem begins with the path in it, and the line where there is one. */
export class FolderError extends Error {
  override readonly name = 'FolderError'
  readonly problems: readonly string[]

  constructor(problems: readonly string[], options?: ErrorOptions) {
    super(problems.join('\n'), options)
    this.problems = problems
  }
}

export type FolderEntry = { path: string; real: string; bytes: number; isExecutable: boolean }

export type WalkedFolder = {
  /** In the order of their paths. */
  entries: FolderEntry[]
  /** It and the folders in it, to be watched. */
  directories: string[]
  /** Changes with every change of the folder that a file system shows. */
  stamp: string
  /** Milliseconds since 1970. */
  changedAt: number
}

/**
 * Lists a folder without reading a byte of it. Hidden entries and `node_modules` are left out. A link is followed as long as
 * it leads to something in the folder. Throws a `FolderError` at the first thing that cannot be part of a version, so that a
 * folder of any size costs little.
 */
export async function walkFolder(folder: string): Promise<WalkedFolder> {
  const walk = new Walk(await realpath(folder))
  await walk.enter('', walk.root)
  walk.entries.sort((a, b) => (a.path < b.path ? -1 : 1))
  return {
    entries: walk.entries,
    directories: walk.directories,
    stamp: walk.stamps.sort().join('\n'),
    changedAt: walk.changedAt,
  }
}

class Walk {
  readonly root: string
  readonly entries: FolderEntry[] = []
  readonly directories: string[] = []
  readonly stamps: string[] = []
  changedAt = 0
  #bytes = 0

  constructor(root: string) {
    this.root = root
  }

  async enter(path: string, real: string): Promise<void> {
    if (path.split('/').length > FOLDER_LIMITS.depth)
      throw new FolderError([`${path}: lies deeper than ${FOLDER_LIMITS.depth} folders`])
    this.directories.push(real)
    for (const name of await readdir(real)) {
      if (name.startsWith('.') || name === 'node_modules') continue
      await this.#add(path === '' ? name : `${path}/${name}`, join(real, name))
    }
  }

  async #add(path: string, at: string): Promise<void> {
    const problem = pathProblem(path)
    if (problem) throw new FolderError([`${JSON.stringify(path).slice(1, -1)}: ${problem}`])
    const real = (await lstat(at)).isSymbolicLink() ? await this.#target(path, at) : at
    const stats = await stat(real)
    const { size, mode, ino, mtimeMs, ctimeMs } = stats
    this.changedAt = Math.max(this.changedAt, mtimeMs, ctimeMs)
    if (stats.isDirectory()) return this.enter(path, real)
    if (!stats.isFile()) throw new FolderError([`${path}: is neither a file nor a folder`])
    this.#bytes += size
    this.#demandRoom(path, size)
    this.entries.push({ path, real, bytes: size, isExecutable: (mode & 0o100) !== 0 })
    this.stamps.push([path, size, mode, ino, mtimeMs, ctimeMs].join(' '))
  }

  async #target(path: string, at: string): Promise<string> {
    const real = await realpath(at).catch(() => undefined)
    if (real === undefined) throw new FolderError([`${path}: is a link that leads nowhere`])
    if (!real.startsWith(this.root + sep))
      throw new FolderError([`${path}: is a link that leads out of the agent's folder`])
    return real
  }

  #demandRoom(path: string, size: number): void {
    const { files, fileBytes, bytes } = FOLDER_LIMITS
    if (size > fileBytes)
      throw new FolderError([`${path}: has ${size} bytes; a file of an agent has at most ${fileBytes}`])
    if (this.#bytes > bytes)
      throw new FolderError([
        `${path}: with it the folder has more than ${bytes} bytes, the most that an agent may have`,
      ])
    if (this.entries.length >= files)
      throw new FolderError([
        `${path}: with it the folder has more than ${files} files, the most that an agent may have`,
      ])
  }
}

/** Why this cannot be the path of an agent's file; good ones mean one thing everywhere. */
export function pathProblem(path: string): string | undefined {
  if (path.length > FOLDER_LIMITS.pathCharacters)
    return `the path is longer than ${FOLDER_LIMITS.pathCharacters} characters`
  if (/[\p{Cc}\\\uFFFD]/u.test(path)) return 'the name has a control character, a backslash or a byte that is no text'
  if (path.split('/').some((part) => part === '' || part === '.' || part === '..')) return 'is no path in the folder'
  return undefined
}
