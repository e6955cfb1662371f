import { createHash, randomUUID } from 'node:crypto'
import { lstat, mkdir, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type AgentFile, folderDigest, readFolder, readPaths } from './folder/read-folder.ts'
import { markOf, walkFolder } from './folder/walk-folder.ts'
import { MEMORY } from './loaded-memory.ts'

/** The copy of a version, and where its programs work. */
const OF_VERSION = /^(?:work-)?([0-9a-f]{64})$/
const HALF_MADE = '.half-'
/** Longer than anybody takes from the copy of a version to its row, and longer than a machine is away. */
const ABANDONED_MS = 60 * 60 * 1_000
const FORGOTTEN_MS = 90 * 24 * 60 * 60 * 1_000

const REMEMBERED = 500

/** All that lies here is read: whatever is not the version's would be taken for a tool or a skill. */
const WHOLE = ['tools', 'skills']
/** Wherever they lie, they change what files beside them mean. */
const MEANINGFUL = ['package.json', 'node_modules']

/** Versions as folders in the data directory, one per digest. Nobody changes them: tools and skills run from there. */
export class Copies {
  readonly #root: string
  /** What copies looked like when they were last read and found good, by digest. */
  readonly #good = new Map<string, string>()

  constructor(root: string) {
    this.#root = root
  }

  directoryOf(digest: string): string {
    return join(this.#root, digest)
  }

  /** Where programs of a version may write what they like. */
  workOf(digest: string): string {
    return join(this.#root, `work-${digest}`)
  }

  /**
   * The files of a copy that is there and is what it should be; `undefined` otherwise. With the version's `paths` only those
   * are compared, and what would change their meaning: a program may have written beside them.
   */
  async read(name: string, digest: string, paths?: readonly string[]): Promise<AgentFile[] | undefined> {
    const directory = this.directoryOf(digest)
    try {
      const files = paths ? await readPaths(directory, paths) : await readFolder(await walkFolder(directory))
      if (!files || folderDigest(name, files) !== digest) return undefined
      return (await hasStrangers(directory, new Set(files.map(({ path }) => path)))) ? undefined : files
    } catch {
      return undefined
    }
  }

  /** The same, for little: files that look as they did when they were last read are not read again. Nobody can set when a file was changed. */
  async isGood(name: string, digest: string, paths: readonly string[]): Promise<boolean> {
    const directory = this.directoryOf(digest)
    const stamp = await stampOf(directory, paths).catch(() => undefined)
    if (stamp === undefined) return false
    if (this.#good.get(digest) === stamp) return !(await hasStrangers(directory, new Set(paths)).catch(() => true))
    this.#good.delete(digest)
    if (!(await this.read(name, digest, paths))) return false
    const [oldest] = this.#good.keys()
    if (this.#good.size >= REMEMBERED && oldest !== undefined) this.#good.delete(oldest)
    this.#good.set(digest, stamp)
    return true
  }

  /** Whole or not at all: under another name first. One that is there and good stays; a bad one is put aside, as somebody may be using it. */
  async write(name: string, digest: string, files: readonly AgentFile[]): Promise<void> {
    const directory = this.directoryOf(digest)
    const temporary = join(this.#root, `${HALF_MADE}${randomUUID()}`)
    const paths = files.map(({ path }) => path)
    const isGood = () => this.isGood(name, digest, paths)
    if (await isGood()) return
    try {
      await mkdir(temporary, { recursive: true, mode: 0o700 })
      for (const { path, bytes, isExecutable } of files) {
        const at = join(temporary, path)
        await mkdir(dirname(at), { recursive: true, mode: 0o700 })
        await writeFile(at, bytes, { flag: 'wx', mode: isExecutable ? 0o500 : 0o400, flush: true })
      }
      if (await isGood()) return
      await this.#putAside(directory)
      await rename(temporary, directory)
    } catch (error) {
      // Another instance that shares the directory was faster.
      if (!(await isGood())) throw error
    } finally {
      await rm(temporary, { recursive: true, force: true })
    }
  }

  /** Removes what no stored version needs any more, and what machines that are gone have left. */
  async sweep(stored: readonly string[], now: number): Promise<void> {
    for (const name of await readdir(this.#root).catch(() => [])) {
      const path = join(this.#root, name)
      const found = await stat(path).catch(() => undefined)
      // Another instance that shares the directory was faster.
      if (!found) continue
      const age = now - found.mtimeMs
      const [, digest] = OF_VERSION.exec(name) ?? []
      const isUnused = name.startsWith(HALF_MADE) || (digest !== undefined && !stored.includes(digest))
      if ((isUnused && age > ABANDONED_MS) || (name.startsWith(MEMORY) && age > FORGOTTEN_MS))
        await rm(path, { recursive: true, force: true })
    }
  }

  async #putAside(directory: string): Promise<void> {
    const aside = join(this.#root, `${HALF_MADE}${randomUUID()}`)
    try {
      const now = new Date()
      await rename(directory, aside)
      // Counted from now, it is abandoned much later than any program that has it open.
      await utimes(aside, now, now)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
}

async function stampOf(directory: string, paths: readonly string[]): Promise<string> {
  const marks = await Promise.all(paths.map(async (path) => markOf(await lstat(join(directory, path)))))
  return createHash('sha256').update(marks.join('\n')).digest('hex')
}

/** Whether something lies beside the version's files that would change what they do. */
async function hasStrangers(directory: string, paths: ReadonlySet<string>): Promise<boolean> {
  const folders = foldersOf(paths)
  const isStrange = async (path: string) => {
    const found = await lstat(join(directory, path)).catch(() => undefined)
    return folders.has(path) ? !found?.isDirectory() : found !== undefined && !paths.has(path)
  }
  const looks = [...folders].map(async (folder) => {
    const isWhole = WHOLE.includes(folder.split('/')[0]!)
    const named = folder === '' ? [...WHOLE, ...MEANINGFUL] : MEANINGFUL
    const names = isWhole ? await readdir(join(directory, folder)) : named
    const below = names.map((name) => (folder === '' ? name : `${folder}/${name}`))
    if (isWhole && below.some((path) => !paths.has(path) && !folders.has(path))) return true
    return (await Promise.all([folder, ...(isWhole ? [] : below)].map(isStrange))).includes(true)
  })
  return (await Promise.all(looks)).includes(true)
}

/** With the outermost, which has no name. */
function foldersOf(paths: ReadonlySet<string>): Set<string> {
  const folders = new Set([''])
  for (const path of paths) for (let at = dirname(path); at !== '.'; at = dirname(at)) folders.add(at)
  return folders
}
