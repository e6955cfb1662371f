import { createHash } from 'node:crypto'
import { mkdir, readFile, utimes } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { writePrivateFile } from '../write-private-file.ts'

/** What the names of such files begin with. */
export const MEMORY = 'loaded-'

const memorySchema = z.record(z.string(), z.string().nullable())

/** What was loaded last of each agent from one place, by name; `null`: that its folder was gone. */
export class LoadedMemory {
  readonly #file: string
  #loaded: Readonly<Record<string, string | null>>
  #written: Promise<void> = Promise.resolve()

  /** Of these folders, on this machine: other instances, with folders of their own, may share the data directory. */
  static async open(directory: string, folders: string): Promise<LoadedMemory> {
    const place = createHash('sha256').update(`${hostname()}\n${folders}`).digest('hex').slice(0, 16)
    const file = join(directory, `${MEMORY}${place}.json`)
    await mkdir(directory, { recursive: true, mode: 0o700 })
    try {
      const now = new Date()
      // So that nobody takes it for the memory of a machine that is gone.
      await utimes(file, now, now)
      return new LoadedMemory(file, memorySchema.parse(JSON.parse(await readFile(file, 'utf8'))))
    } catch {
      // The first start, or a damaged file: nothing is known then, and nothing is rolled back.
      return new LoadedMemory(file, {})
    }
  }

  constructor(file: string, loaded: Readonly<Record<string, string | null>>) {
    this.#file = file
    this.#loaded = loaded
  }

  get names(): string[] {
    return Object.keys(this.#loaded)
  }

  /** `undefined`: nothing is known of it. */
  digestOf(name: string): string | null | undefined {
    return Object.hasOwn(this.#loaded, name) ? this.#loaded[name] : undefined
  }

  async set(name: string, digest: string | null): Promise<void> {
    if (this.digestOf(name) === digest) return
    this.#loaded = { ...this.#loaded, [name]: digest }
    // One after the other: agents may be loaded side by side.
    const writing = this.#written.then(() => writePrivateFile(this.#file, JSON.stringify(this.#loaded)))
    this.#written = writing.catch(() => undefined)
    await writing
  }
}
