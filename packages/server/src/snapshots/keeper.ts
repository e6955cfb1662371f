import { createHash, randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { copyFile, type FileHandle, mkdir, open, rename, rm, statfs, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { descriptorPath } from '../workspace/files/held-directory.ts'
import { temporaryName } from '../workspace/files/temporary-name.ts'
import { type Content, type Place, readInto } from './contents.ts'
import { StateProblem } from './problems.ts'

const { COPYFILE_EXCL, COPYFILE_FICLONE, O_CREAT, O_EXCL, O_NOFOLLOW, O_RDWR, O_WRONLY } = constants
const FLUSH_BYTES = 1024 ** 2
/** A larger file is kept in a file of its own, which can share its blocks with the original, and goes when nobody needs it. */
export const OWN_FILE_BYTES = 1024 ** 2

export type KeeperOptions = {
  /** Of the session's contents. */
  directory: string
  /** Where contents are that need not be kept again. */
  known: Map<string, Place>
  /** Space that is left to others: the database may lie on the same disk. */
  freeBytes: number
}

/**
 * Keeps contents of one session. The small ones of a state go into one file, a pack: one write to disk instead of
 * thousands. Nothing counts before `finish`; what a crash leaves has a temporary name, or is named by no state.
 */
export class Keeper {
  readonly #directory: string
  readonly #freeBytes: number
  readonly #known: Map<string, Place>
  readonly #pack = `p-${randomBytes(9).toString('hex')}`
  readonly #temporary: string
  #waiting: Buffer[] = []
  #waitingBytes = 0
  #end = 0
  #file: FileHandle | undefined
  #writing: Promise<void> = Promise.resolve()
  /** Whether anything was not there yet. */
  hasWritten = false

  constructor({ directory, known, freeBytes }: KeeperOptions) {
    this.#directory = directory
    this.#freeBytes = freeBytes
    this.#known = known
    this.#temporary = join(directory, temporaryName())
  }

  async keep(bytes: Buffer): Promise<Content> {
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const size = bytes.length
    const known = this.#known.get(sha256)
    if (known) return { ...known, size }
    const place: Place = { sha256, pack: this.#pack, offset: this.#end }
    this.#known.set(sha256, place)
    this.#end += size
    this.#waiting.push(bytes)
    this.#waitingBytes += size
    if (this.#waitingBytes >= FLUSH_BYTES) await this.#flush()
    return { ...place, size }
  }

  /** A large file, as it is just now. */
  async keepFile(source: FileHandle): Promise<Content> {
    await this.#makeDirectory()
    await this.#demandSpace((await source.stat()).size)
    const temporary = join(this.#directory, temporaryName())
    try {
      await copy(source, temporary)
      await using kept = await open(temporary, O_RDWR | O_NOFOLLOW)
      const { size } = await kept.stat()
      const sha256 = await readInto(kept, { size, offset: 0 }, async () => undefined)
      const known = this.#known.get(sha256)
      if (known) return { ...known, size }
      const place: Place = { sha256, pack: null, offset: 0 }
      const at = join(this.#directory, sha256)
      if (!(await isTouched(at))) {
        await kept.chmod(0o600)
        await kept.sync()
        await rename(temporary, at)
        this.hasWritten = true
      }
      this.#known.set(sha256, place)
      return { ...place, size }
    } finally {
      await rm(temporary, { force: true })
    }
  }

  /** On disk from here on. */
  async finish(): Promise<void> {
    await this.#flush()
    if (this.#file) {
      await this.#file.sync()
      await this.#close()
      await rename(this.#temporary, join(this.#directory, this.#pack))
      this.hasWritten = true
    }
    if (!this.hasWritten) return
    await using directory = await open(this.#directory)
    await directory.sync()
  }

  async giveUp(): Promise<void> {
    await this.#writing.catch(() => undefined)
    await this.#close()
    await rm(this.#temporary, { force: true })
  }

  #flush(): Promise<void> {
    const bytes = Buffer.concat(this.#waiting)
    this.#waiting = []
    this.#waitingBytes = 0
    if (bytes.length > 0) this.#writing = this.#writing.then(() => this.#write(bytes))
    return this.#writing
  }

  async #write(bytes: Buffer): Promise<void> {
    if (!this.#file) {
      await this.#makeDirectory()
      this.#file = await open(this.#temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
    }
    await this.#demandSpace(bytes.length)
    await this.#file.writeFile(bytes)
  }

  async #close(): Promise<void> {
    const file = this.#file
    this.#file = undefined
    await file?.close()
  }

  async #demandSpace(bytes: number): Promise<void> {
    const { bavail, bsize } = await statfs(this.#directory)
    if (bavail * bsize - bytes < this.#freeBytes) throw new StateProblem('no_space')
  }

  async #makeDirectory(): Promise<void> {
    await mkdir(this.#directory, { recursive: true, mode: 0o700 })
  }
}

/** Shares the blocks where the file system can. */
async function copy(source: FileHandle, temporary: string): Promise<void> {
  const path = descriptorPath(source)
  if (path !== undefined) return copyFile(path, temporary, COPYFILE_EXCL | COPYFILE_FICLONE)
  await using target = await open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
  const { size } = await source.stat()
  await readInto(source, { size, offset: 0 }, (chunk) => target.writeFile(chunk))
}

/** What is used again looks new: it is not swept meanwhile. */
async function isTouched(at: string): Promise<boolean> {
  const now = new Date()
  try {
    await utimes(at, now, now)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}
