import { lstat, opendir, realpath, stat } from 'node:fs/promises'
import type { Stats } from 'node:fs'
import { join, sep } from 'node:path'

/** What the folder of an agent or a solution may hold. */
export const FOLDER_LIMITS = {
  files: 1_000,
  folders: 250,
  /** All that is looked at, hidden ones included. */
  entries: 5_000,
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

export type FolderEntry = {
  path: string
  real: string
  bytes: number
  isExecutable: boolean
  /** Changes with the file. */
  mark: string
}

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
 * folder of any size costs little; and the signal's reason after an abort.
 */
export async function walkFolder(folder: string, signal?: AbortSignal): Promise<WalkedFolder> {
  const walk = new Walk(await realpath(folder), signal)
  await walk.enter('', walk.root, await stat(walk.root))
  walk.entries.sort((a, b) => (a.path < b.path ? -1 : 1))
  return {
    entries: walk.entries,
    directories: walk.directories,
    stamp: walk.entries.map(({ path, mark }) => `${path} ${mark}`).join('\n'),
    changedAt: walk.changedAt,
  }
}

/** What a file system shows of a file's identity and content. */
export function markOf({ dev, ino, size, mode, mtimeMs, ctimeMs }: Stats): string {
  return [dev, ino, size, mode, mtimeMs, ctimeMs].join(' ')
}

export function isExecutable({ mode }: Stats): boolean {
  return (mode & 0o100) !== 0
}

class Walk {
  readonly root: string
  readonly entries: FolderEntry[] = []
  readonly directories: string[] = []
  changedAt = 0
  readonly #signal: AbortSignal | undefined
  /** Paths of the folders that were entered, by what they really are. */
  readonly #entered = new Map<string, string>()
  #seen = 0
  #bytes = 0

  constructor(root: string, signal: AbortSignal | undefined) {
    this.root = root
    this.#signal = signal
  }

  async enter(path: string, real: string, { dev, ino }: Stats): Promise<void> {
    const { depth, folders } = FOLDER_LIMITS
    if (path.split('/').length > depth) throw new FolderError([`${path}: lies deeper than ${depth} folders`])
    const before = this.#entered.get(`${dev}:${ino}`)
    if (before !== undefined)
      throw new FolderError([
        `${path}: is the same folder as ${before || 'the whole'}; a link leads to no folder that is there already`,
      ])
    if (this.directories.length > folders) throw tooMuch(path, folders, 'folders')
    this.#entered.set(`${dev}:${ino}`, path)
    this.directories.push(real)
    // One by one: nobody knows how many there are.
    for await (const { name } of await opendir(real)) {
      this.#signal?.throwIfAborted()
      const below = path === '' ? name : `${path}/${name}`
      if (++this.#seen > FOLDER_LIMITS.entries)
        throw tooMuch(shownName(below), FOLDER_LIMITS.entries, 'entries, hidden ones included')
      if (!name.startsWith('.') && name !== 'node_modules') await this.#add(below, join(real, name))
    }
  }

  async #add(path: string, at: string): Promise<void> {
    const problem = pathProblem(path)
    if (problem) throw new FolderError([`${shownName(path)}: ${problem}`])
    const own = await lstat(at)
    const real = own.isSymbolicLink() ? await this.#target(path, at) : at
    const stats = real === at ? own : await stat(real)
    this.changedAt = Math.max(this.changedAt, stats.mtimeMs, stats.ctimeMs)
    if (stats.isDirectory()) return this.enter(path, real, stats)
    if (!stats.isFile()) throw new FolderError([`${path}: is neither a file nor a folder`])
    this.#bytes += stats.size
    this.#demandRoom(path, stats.size)
    this.entries.push({ path, real, bytes: stats.size, isExecutable: isExecutable(stats), mark: markOf(stats) })
  }

  async #target(path: string, at: string): Promise<string> {
    const real = await realpath(at).catch(() => undefined)
    if (real === undefined) throw new FolderError([`${path}: is a link that leads nowhere`])
    if (!real.startsWith(this.root + sep)) throw new FolderError([`${path}: is a link that leads out of the folder`])
    return real
  }

  #demandRoom(path: string, size: number): void {
    const { files, fileBytes, bytes } = FOLDER_LIMITS
    if (size > fileBytes) throw new FolderError([`${path}: has ${size} bytes; a file has at most ${fileBytes}`])
    if (this.#bytes > bytes) throw tooMuch(path, bytes, 'bytes')
    if (this.entries.length >= files) throw tooMuch(path, files, 'files')
  }
}

function tooMuch(path: string, limit: number, what: string): FolderError {
  return new FolderError([`${path}: with it the folder has more than ${limit} ${what}, the most that it may have`])
}

/** A name may hold anything, line ends included. */
export function shownName(path: string): string {
  return JSON.stringify(path.slice(0, 2 * FOLDER_LIMITS.pathCharacters)).slice(1, -1)
}

/** Why this cannot be the path of a file; good ones mean one thing everywhere. */
export function pathProblem(path: string): string | undefined {
  if (path.length > FOLDER_LIMITS.pathCharacters)
    return `the path is longer than ${FOLDER_LIMITS.pathCharacters} characters`
  if (/[\p{Cc}\\\uFFFD]/u.test(path)) return 'the name has a control character, a backslash or a byte that is no text'
  if (path.split('/').some((part) => part === '' || part === '.' || part === '..')) return 'is no path in the folder'
  return undefined
}
