import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { writePrivateFile } from '../write-private-file.ts'

const memorySchema = z.record(z.string(), z.string().nullable())

/** What this data directory loaded last of each agent, by name; `null`: that its folder was gone. */
export class LoadedMemory {
  readonly #file: string
  #loaded: Readonly<Record<string, string | null>>

  static async open(file: string): Promise<LoadedMemory> {
    try {
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
    await writePrivateFile(this.#file, JSON.stringify(this.#loaded))
  }
}
