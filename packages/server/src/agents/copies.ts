import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type AgentFile, folderDigest, readFolder } from './folder/read-folder.ts'
import { walkFolder } from './folder/walk-folder.ts'
import { MEMORY } from './loaded-memory.ts'

const DIGEST = /^[0-9a-f]{64}$/
const HALF_MADE = '.half-'
/** Longer than anybody takes from the copy of a version to its row, and longer than a machine is away. */
const ABANDONED_MS = 60 * 60 * 1_000
const FORGOTTEN_MS = 90 * 24 * 60 * 60 * 1_000

/** Versions as folders in the data directory, one per digest. Nobody changes them: tools and skills run from there. */
export class Copies {
  readonly #root: string

  constructor(root: string) {
    this.#root = root
  }

  directoryOf(digest: string): string {
    return join(this.#root, digest)
  }

  /** The files of a copy that is there and is what it should be; `undefined` otherwise. */
  async read(name: string, digest: string): Promise<AgentFile[] | undefined> {
    try {
      const files = await readFolder(await walkFolder(this.directoryOf(digest)))
      return folderDigest(name, files) === digest ? files : undefined
    } catch {
      return undefined
    }
  }

  /** Whole or not at all: under another name first. One that is there and good stays: somebody may be using it. */
  async write(name: string, digest: string, files: readonly AgentFile[]): Promise<void> {
    const directory = this.directoryOf(digest)
    const temporary = join(this.#root, `${HALF_MADE}${randomUUID()}`)
    try {
      await mkdir(temporary, { recursive: true, mode: 0o700 })
      for (const { path, bytes, isExecutable } of files) {
        const at = join(temporary, path)
        await mkdir(dirname(at), { recursive: true, mode: 0o700 })
        await writeFile(at, bytes, { flag: 'wx', mode: isExecutable ? 0o500 : 0o400, flush: true })
      }
      if (await this.read(name, digest)) return
      await rm(directory, { recursive: true, force: true })
      await rename(temporary, directory)
    } catch (error) {
      // Another instance that shares the directory was faster.
      if (!(await this.read(name, digest))) throw error
    } finally {
      await rm(temporary, { recursive: true, force: true })
    }
  }

  /** Removes what no stored version needs any more, and what machines that are gone have left. */
  async sweep(stored: readonly string[], now: number): Promise<void> {
    for (const name of await readdir(this.#root).catch(() => [])) {
      const path = join(this.#root, name)
      const age = now - (await stat(path)).mtimeMs
      const isUnused = name.startsWith(HALF_MADE) || (DIGEST.test(name) && !stored.includes(name))
      if ((isUnused && age > ABANDONED_MS) || (name.startsWith(MEMORY) && age > FORGOTTEN_MS))
        await rm(path, { recursive: true, force: true })
    }
  }
}
