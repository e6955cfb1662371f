import type { Engine } from '../store/engine.ts'
import type { AgentVersion } from './agent-version.ts'
import { SOLUTIONS } from './folder/folder-kind.ts'
import { type AgentFile, folderDigest } from './folder/read-folder.ts'
import { keepVersion } from './version-rows.ts'
import type { Versions } from './versions.ts'

/** A solution that comes with the server: its files, by their paths. */
export type BuiltInSolution = { id: string; files: Readonly<Record<string, string>> }

/**
 * Solutions that are there without a folder, as long as nobody has made one of the same id. A version of one is stored when
 * a session first begins with it, so that a server of another age can carry that session on.
 */
export class BuiltInSolutions {
  readonly #options: { engine: Engine; versions: Versions }
  readonly #solutions: ReadonlyMap<string, { name: string; digest: string; files: AgentFile[] }>
  readonly #kept = new Map<string, Promise<unknown>>()

  constructor(solutions: readonly BuiltInSolution[], options: { engine: Engine; versions: Versions }) {
    this.#options = options
    this.#solutions = new Map(solutions.map((solution) => [solution.id, folderOf(solution)]))
  }

  get ids(): string[] {
    return [...this.#solutions.keys()]
  }

  digestOf(id: string): string | undefined {
    return this.#solutions.get(id)?.digest
  }

  /** Its version, which any instance can have from now on. */
  async keep(id: string): Promise<AgentVersion | undefined> {
    const folder = this.#solutions.get(id)
    if (!folder) return undefined
    const { versions } = this.#options
    const kept = this.#kept.get(id) ?? this.#store(folder)
    this.#kept.set(id, kept)
    try {
      await kept
    } catch (error) {
      this.#kept.delete(id)
      throw error
    }
    return versions.find(folder.name, folder.digest)
  }

  async #store(folder: { name: string; digest: string; files: AgentFile[] }): Promise<void> {
    const { engine, versions } = this.#options
    const { name, digest, files } = folder
    await versions.take(folder)
    const packed = await versions.pack(files)
    await engine.write(() => keepVersion({ name, digest, files: packed }))
    await versions.mend(name, digest, packed)
  }
}

function folderOf({ id, files }: BuiltInSolution): { name: string; digest: string; files: AgentFile[] } {
  const list = Object.entries(files)
    .map(([path, text]) => ({ path, bytes: Buffer.from(text), isExecutable: false }))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
  const name = SOLUTIONS.storedAs(id)
  return { name, digest: folderDigest(name, list), files: list }
}
