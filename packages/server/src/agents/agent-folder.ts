import { walkAgent } from './folder/find-folders.ts'
import type { FolderKind } from './folder/folder-kind.ts'
import { FolderError, type WalkedFolder } from './folder/walk-folder.ts'
import type { FolderNews } from './folder-log.ts'
import { loadFolder, type LoadOptions } from './load-folder.ts'
import { Stillness } from './stillness.ts'
import { removeAgent } from './version-rows.ts'

/** How often those who begin a session cause a look, and how long they wait for a folder to stand still. */
export const FRESH_MS = 1_000
/** What comes before a look at a folder that was changed, or does not stand still yet; as long as the last one took, if that is more. */
const SOON_MS = 50

/** A folder that changes whenever it is loaded, because its own tools write to it, is loaded so often in so long. */
const LOADS = { most: 20, withinMs: 60_000 }

export type FolderOptions = LoadOptions & {
  /** Agents or solutions. */
  kind: FolderKind
  /** Holds a folder for each. */
  directory: string
  /** How that is written where people read it. */
  shown: string
  news: FolderNews
  /** After a look that found other directories than the one before. */
  onDirectories: () => void
}

/** Makes versions of one agent's folder, whenever that has changed and stands still. No other folder waits for it. */
export class AgentFolder {
  readonly name: string
  /** Why the folder is not the newest version of its agent. */
  problem: string | null = null
  /** Those in it, itself included, as far as they are known. */
  directories: readonly string[] = []
  readonly #options: FolderOptions
  readonly #stillness: Stillness
  /** As it was when it was last made a version of, or found wanting. */
  #done: string | undefined
  #looking: Promise<boolean> | undefined
  #lookedAt = -Infinity
  #tookMs = 0
  #isSettled = false
  #loads: number[] = []
  #isRestless = false
  #hasNews = false
  #timer: Disposable | undefined

  constructor(name: string, options: FolderOptions) {
    this.name = name
    this.#options = options
    this.#stillness = new Stillness(options.engine.timers)
  }

  get isBusy(): boolean {
    return this.#looking !== undefined || this.#timer !== undefined
  }

  /** `false`: it does not stand still yet, and there will be another look. Settles after what is loaded of it, never throws. */
  look(): Promise<boolean> {
    if (this.#options.signal.aborted) return Promise.resolve(true)
    this.#looking ??= this.#lookOnce().finally(() => (this.#looking = undefined))
    return this.#looking
  }

  /** Something in it may have changed. */
  noticed(): void {
    this.#hasNews = true
    this.#lookSoon()
  }

  /** For whoever is about to use the newest version: waits, a moment at most, for what was just saved. */
  async fresh(): Promise<void> {
    const isDue = this.#hasNews || !this.#isSettled || this.#timers.elapsed() - this.#lookedAt >= FRESH_MS
    if (isDue) await this.settledWithin(FRESH_MS)
  }

  async settledWithin(ms: number): Promise<void> {
    const patience = Promise.withResolvers<void>()
    using _timer = this.#timers.after(ms, patience.resolve)
    await Promise.race([patience.promise, this.#settled(this.#timers.elapsed() + ms)])
  }

  /** What is under way ends soon after the signal's abort. */
  async ended(): Promise<void> {
    this.#timer?.[Symbol.dispose]()
    this.#timer = undefined
    await this.#looking
  }

  async #settled(until: number): Promise<void> {
    // What is under way may have passed what is meant.
    await this.#looking
    while (!(await this.look()) && this.#timers.elapsed() < until) await this.#timers.sleep(SOON_MS)
  }

  get #timers() {
    return this.#options.engine.timers
  }

  #lookSoon(): void {
    if (this.#options.signal.aborted) return
    this.#timer ??= this.#timers.after(this.#isRestless ? FRESH_MS : Math.max(SOON_MS, this.#tookMs), () => {
      this.#timer = undefined
      void this.look()
    })
  }

  async #lookOnce(): Promise<boolean> {
    const { directory, signal, news } = this.#options
    this.#hasNews = false
    this.#lookedAt = this.#timers.elapsed()
    try {
      const walked = await walkAgent(directory, this.name, signal)
      this.#tookMs = this.#timers.elapsed() - this.#lookedAt
      if (walked && walked !== 'gone' && !(walked instanceof FolderError)) this.#found(walked.directories)
      this.#isSettled = walked === 'gone' ? await this.#lookAtGone() : await this.#lookAt(walked)
    } catch (error) {
      // What a stopping server takes away from a look is no failure.
      if (!signal.aborted) news.onError(error)
      this.#isSettled = true
    }
    if (!this.#isSettled) this.#lookSoon()
    return this.#isSettled
  }

  #found(directories: readonly string[]): void {
    const isSame = directories.join('\n') === this.directories.join('\n')
    this.directories = directories
    if (!isSame) this.#options.onDirectories()
  }

  async #lookAt(walked: WalkedFolder | FolderError | undefined): Promise<boolean> {
    if (!walked) return false
    const isWrong = walked instanceof FolderError
    const stamp = isWrong ? `wrong: ${walked.message}` : walked.stamp
    if (this.#done === stamp) return true
    if (!this.#stillness.isStill(this.name, stamp, isWrong ? undefined : walked.changedAt)) return false
    // Nobody has begun to fill it yet.
    if (stamp === '') return true
    if (!this.#mayLoad()) return false
    return this.#load(stamp, walked)
  }

  #mayLoad(): boolean {
    const now = this.#timers.elapsed()
    this.#loads = this.#loads.filter((at) => now - at < LOADS.withinMs)
    if (this.#loads.length >= LOADS.most) {
      if (!this.#isRestless) this.#options.news.onProblem(problemLine(this.#shown, RESTLESS), this.name)
      this.#isRestless = true
      return false
    }
    this.#isRestless = false
    this.#loads.push(now)
    return true
  }

  get #shown(): string {
    return `${this.#options.shown}/${this.name}`
  }

  /** `false`: it changed while it was read. */
  async #load(stamp: string, walked: WalkedFolder | FolderError): Promise<boolean> {
    const { directory, news, kind } = this.#options
    const { name } = this
    try {
      if (walked instanceof FolderError) throw walked
      const loaded = await loadFolder({ name, stored: kind.storedAs(name), directory, walked }, this.#options)
      if (!loaded) return false
      this.#done = stamp
      this.problem = null
      news.onLoaded(loaded)
    } catch (error) {
      if (!(error instanceof FolderError)) throw error
      this.#done = stamp
      this.problem = error.problems.map((line) => problemLine(this.#shown, line)).join('\n')
      news.onProblem(this.problem, name)
    }
    return true
  }

  async #lookAtGone(): Promise<boolean> {
    const { engine, memory, news, kind } = this.#options
    this.#found([])
    if (!this.#stillness.isStill(this.name, 'gone', undefined)) return false
    this.#done = undefined
    this.problem = null
    if (typeof memory.digestOf(this.name) !== 'string') return true
    const stored = kind.storedAs(this.name)
    if (await engine.write(() => removeAgent(stored))) news.onRemoved(stored)
    await memory.set(this.name, null)
    return true
  }
}

const RESTLESS = `: was loaded ${LOADS.most} times in ${LOADS.withinMs / 1_000} seconds, and changes on; it is loaded again later`

/** A line about the folder itself has no path of its own. */
function problemLine(folder: string, line: string): string {
  return line.startsWith(':') ? folder + line : `${folder}/${line}`
}
