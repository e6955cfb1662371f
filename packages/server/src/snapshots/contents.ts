import { createHash, type Hash } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'

const { O_NOFOLLOW, O_RDONLY } = constants
const CHUNK_BYTES = 256 * 1024
/** Packs that are held open while a state is read; more are opened for each content. */
const PACKS_OPEN = 64

/** Where the bytes with this hash are: in a pack, from an offset on, or in a file that is named after the hash. */
export type Place = { sha256: string; pack: string | null; offset: number }

export type Content = Place & { size: number }

/** Something that was kept is not there any more, or is not what it was. */
export class GoneError extends Error {}

export function fileOf({ sha256, pack }: Place): string {
  return pack ?? sha256
}

/** What is kept of one session's files, for reading. Every byte is checked against its hash before anybody has it. */
export class Contents implements AsyncDisposable {
  readonly directory: string
  readonly #packs = new Map<string, Promise<FileHandle>>()

  constructor(directory: string) {
    this.directory = directory
  }

  /** A `GoneError` when one of these files is not there. */
  async demand(files: readonly string[]): Promise<void> {
    for (const name of files) await (await this.#open(name)).close()
  }

  /** All of it: for what is known to be small. */
  async read(content: Content): Promise<Buffer> {
    const parts: Buffer[] = []
    await this.#each(content, async (chunk) => void parts.push(Buffer.from(chunk)))
    return Buffer.concat(parts)
  }

  /** Ends with a `GoneError` when something else was written than once was kept. */
  async copyTo(file: FileHandle, content: Content): Promise<void> {
    await this.#each(content, (chunk) => file.writeFile(chunk))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const opened = await Promise.allSettled(this.#packs.values())
    for (const pack of opened) if (pack.status === 'fulfilled') await pack.value.close()
  }

  async #each(content: Content, take: (chunk: Buffer) => Promise<void>): Promise<void> {
    const name = fileOf(content)
    const isHeld = content.pack !== null && (this.#packs.has(name) || this.#packs.size < PACKS_OPEN)
    const opened = isHeld ? (this.#packs.get(name) ?? this.#open(name)) : this.#open(name)
    if (isHeld) this.#packs.set(name, opened)
    const file = await opened
    try {
      const digest = await readInto(file, content, take)
      if (digest !== content.sha256) throw new GoneError(`${name} is damaged.`)
    } finally {
      if (!isHeld) await file.close()
    }
  }

  async #open(name: string): Promise<FileHandle> {
    try {
      return await open(join(this.directory, name), O_RDONLY | O_NOFOLLOW)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      throw new GoneError(`${name} is gone.`, { cause: error })
    }
  }
}

/** Reads `size` bytes from `offset` on, or fewer where the file ends; returns their hash. */
export async function readInto(
  file: FileHandle,
  { size, offset }: { size: number; offset: number },
  take: (chunk: Buffer) => Promise<void>,
): Promise<string> {
  const hash: Hash = createHash('sha256')
  const chunk = Buffer.allocUnsafe(Math.min(size, CHUNK_BYTES))
  for (let done = 0; done < size;) {
    const { bytesRead } = await file.read(chunk, 0, Math.min(chunk.length, size - done), offset + done)
    if (bytesRead === 0) break
    const bytes = chunk.subarray(0, bytesRead)
    hash.update(bytes)
    await take(bytes)
    done += bytesRead
  }
  return hash.digest('hex')
}
