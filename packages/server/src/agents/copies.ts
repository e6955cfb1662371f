import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type AgentFile, folderDigest, readFolder } from './folder/read-folder.ts'
import { walkFolder } from './folder/walk-folder.ts'

const DIGEST = /^[0-9a-f]{64}$/
const HALF_MADE = '.half-'
/** Longer than anybody takes to write a copy. */
const ABANDONED_MS = 60 * 60 * 1_000

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

  /** Whole or not at all: under another name first. */
  async write(digest: string, files: readonly AgentFile[]): Promise<void> {
    const temporary = join(this.#root, `${HALF_MADE}${randomUUID()}`)
    try {
      await mkdir(temporary, { recursive: true, mode: 0o700 })
      for (const { path, bytes, isExecutable } of files) {
        const at = join(temporary, path)
        await mkdir(dirname(at), { recursive: true, mode: 0o700 })
        await writeFile(at, bytes, { flag: 'wx', mode: isExecutable ? 0o500 : 0o400, flush: true })
      }
      // Damaged, or we would not be here; or another server that shares the directory was faster, with the same.
      await rm(this.directoryOf(digest), { recursive: true, force: true })
      await rename(temporary, this.directoryOf(digest))
    } catch (error) {
      await rm(temporary, { recursive: true, force: true }).catch(() => undefined)
      if (!isThere(error)) throw error
    }
  }

  /** Removes what no stored version needs any more. */
  async sweep(stored: readonly string[], now: number): Promise<void> {
    for (const name of await readdir(this.#root).catch(() => [])) {
      const path = join(this.#root, name)
      const isAbandoned = name.startsWith(HALF_MADE) && now - (await stat(path)).mtimeMs > ABANDONED_MS
      if (isAbandoned || (DIGEST.test(name) && !stored.includes(name))) await rm(path, { recursive: true, force: true })
    }
  }
}

function isThere(error: unknown): boolean {
  return ['EEXIST', 'ENOTEMPTY'].includes((error as NodeJS.ErrnoException).code ?? '')
}
