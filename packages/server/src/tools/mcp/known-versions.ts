import type { Clock } from '../../ports.ts'
import type { Engine } from '../../store/engine.ts'
import { type PinnedVersion, type ToolVersion, ToolVersions } from './tool-versions.ts'

export type KnownVersionsOptions = {
  engine: Engine
  clock: Clock
  onWarning: (message: string) => void
}

/** Another instance may have approved a tool: while one is blocked here, look again this often. */
const LOOK_AGAIN_MS = 5000
const LOAD_AGAIN_MS = 1000

/** The versions that count, as this instance knows them: read at the start, and again while a tool is blocked. */
export class KnownVersions {
  readonly #options: KnownVersionsOptions
  readonly #versions: ToolVersions
  #pinned = new Map<string, PinnedVersion>()
  #looking: Promise<void> | undefined
  #lookedAt = 0

  constructor(options: KnownVersionsOptions) {
    this.#options = options
    this.#versions = new ToolVersions(options.engine)
  }

  get(name: string): PinnedVersion | undefined {
    return this.#pinned.get(name)
  }

  /** Until it is known which versions count: a database that is away for a moment is asked again. `false`: stopped first. */
  async load(stop: AbortSignal): Promise<boolean> {
    while (!stop.aborted) {
      try {
        await this.read()
        return true
      } catch (error) {
        this.#options.onWarning(`The approved versions of MCP tools cannot be read: ${(error as Error).message}`)
        await this.#options.clock.sleep(LOAD_AGAIN_MS, stop)
      }
    }
    return false
  }

  async read(): Promise<void> {
    this.#lookedAt = this.#options.clock.elapsed()
    this.#pinned = await this.#versions.load()
  }

  lookAgain(): void {
    if (this.#options.clock.elapsed() - this.#lookedAt < LOOK_AGAIN_MS) return
    this.#looking ??= this.read()
      .catch(() => undefined)
      .finally(() => {
        this.#looking = undefined
      })
  }

  /** The version that counts, this one from now on if there was none. */
  async pin(name: string, version: ToolVersion): Promise<PinnedVersion> {
    return this.#keep(name, await this.#versions.pin(name, version))
  }

  async approve(name: string, version: ToolVersion, user_id: string): Promise<PinnedVersion> {
    return this.#keep(name, await this.#versions.approve(name, version, user_id))
  }

  /** Settles when nothing is being read. */
  async idle(): Promise<void> {
    await this.#looking
  }

  #keep(name: string, version: PinnedVersion): PinnedVersion {
    this.#pinned.set(name, version)
    return version
  }
}
