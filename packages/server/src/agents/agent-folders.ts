import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { findFolders, walkAgent } from './folder/find-folders.ts'
import { FolderError, type WalkedFolder } from './folder/walk-folder.ts'
import type { FolderNews } from './folder-log.ts'
import { loadFolder, type LoadOptions } from './load-folder.ts'
import { Stillness } from './stillness.ts'
import { removeAgent } from './version-rows.ts'
import { DirectoryWatch } from './watch-directories.ts'

/** Watching misses changes on some file systems. */
const LOOK_MS = 5_000
/** How often those who begin a session cause a look, and how long they wait for a folder to stand still. */
const FRESH_MS = 1_000
/** How long a start waits for that. */
const START_MS = 5_000
/** What comes after a word of the watch, and before a look at a folder that does not stand still yet. */
const SOON_MS = 50
/** How long a look waits for the tools of one folder to be imported; the others must not wait for a file that hangs. */
const SLOW_MS = 1_000
/** What is said about the directory of all. */
const MAX_SAID = 200

export type FoldersOptions = LoadOptions & {
  /** Holds a folder for each agent. */
  directory: string
  /** How that is written where people read it. */
  shown: string
  news: FolderNews
}

/** Makes versions of the folders of agents, at the start and whenever one of them has changed and stands still. */
export class AgentFolders implements AsyncDisposable {
  readonly #options: FoldersOptions
  readonly #stillness: Stillness
  readonly #watch = new DirectoryWatch(() => this.#noticed())
  /** What was done about each folder as it was then. */
  readonly #done = new Map<string, { stamp: string; problem: string | null }>()
  /** Folders that are being made a version of, or found wanting. */
  readonly #loading = new Map<string, Promise<boolean>>()
  readonly #problems = new Set<string>()
  #looking: Promise<boolean> | undefined
  #lookedAt = -Infinity
  #hasNews = false
  #timer: Disposable | undefined
  #poll: Disposable | undefined
  #isClosed = false

  constructor(options: FoldersOptions) {
    this.#options = options
    this.#stillness = new Stillness(options.engine.timers)
  }

  /** Resolves when every folder is loaded, or found wanting; or, for those that somebody is still writing, a little later. */
  async start(): Promise<void> {
    await this.#settledWithin(START_MS)
    this.#poll = this.#timers.every(LOOK_MS, () => void this.#look())
  }

  /** Why a folder is not the newest version of its agent, by the agent's name. */
  get problems(): ReadonlyMap<string, string> {
    return new Map([...this.#done].flatMap(([name, { problem }]) => (problem === null ? [] : [[name, problem]])))
  }

  /** For whoever is about to use the newest version: waits, a moment at most, for what was just saved. */
  async fresh(name: string): Promise<void> {
    const isDue = this.#hasNews || this.#timers.elapsed() - this.#lookedAt >= FRESH_MS
    if (isDue || this.#loading.has(name)) await this.#settledWithin(FRESH_MS, name)
  }

  /** Whether there is one, loaded or not: nobody gets the configuration's tools because a folder with fewer is not ready. */
  async hasFolder(name: string): Promise<boolean> {
    const entries = await readdir(join(this.#options.directory, name)).catch(() => [])
    return entries.some((entry) => !entry.startsWith('.'))
  }

  /** Waits for what is being loaded: nothing of it may reach the store after this. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    this.#watch[Symbol.dispose]()
    this.#timer?.[Symbol.dispose]()
    this.#poll?.[Symbol.dispose]()
    await Promise.all([this.#looking, ...this.#loading.values()])
  }

  /** With `name`, nobody waits for what another folder takes longer for. */
  async #settledWithin(ms: number, name?: string): Promise<void> {
    const patience = Promise.withResolvers<void>()
    using _timer = this.#timers.after(ms, patience.resolve)
    await Promise.race([patience.promise, this.#settled(this.#timers.elapsed() + ms, name)])
  }

  async #settled(until: number, name: string | undefined): Promise<void> {
    // A look that is under way may have passed this folder already.
    await this.#looking
    while (!(await this.#look()) && this.#timers.elapsed() < until) await this.#timers.sleep(SOON_MS)
    if (name === undefined) await Promise.all(this.#loading.values())
    else await this.#loading.get(name)
  }

  get #timers() {
    return this.#options.engine.timers
  }

  #noticed(): void {
    this.#hasNews = true
    this.#lookSoon()
  }

  #lookSoon(): void {
    if (this.#isClosed) return
    this.#timer ??= this.#timers.after(SOON_MS, () => {
      this.#timer = undefined
      void this.#look()
    })
  }

  /** `false`: something does not stand still yet, and there will be another look. */
  #look(): Promise<boolean> {
    if (this.#isClosed) return Promise.resolve(true)
    this.#looking ??= this.#lookAtAll()
      .catch((error: unknown) => {
        this.#failed(error)
        return true
      })
      .finally(() => (this.#looking = undefined))
    return this.#looking
  }

  async #lookAtAll(): Promise<boolean> {
    this.#hasNews = false
    this.#lookedAt = this.#timers.elapsed()
    const { directory, memory } = this.#options
    const { names, problems } = await findFolders(directory)
    for (const problem of problems) this.#sayOnce(problem)
    // None of its agents is gone because the directory of all cannot be read.
    if (!names) return true
    const directories = [directory]
    let isSettled = true
    for (const name of names) {
      if (this.#isClosed) return true
      const walked = await walkAgent(directory, name)
      if (walked && !(walked instanceof FolderError)) directories.push(join(directory, name), ...walked.directories)
      isSettled = (await this.#lookAt(name, walked)) && isSettled
    }
    for (const name of memory.names)
      if (!names.includes(name) && memory.digestOf(name) !== null)
        isSettled = (await this.#lookAtGone(name)) && isSettled
    for (const name of this.#done.keys()) if (!names.includes(name)) this.#done.delete(name)
    this.#watch.set(directories)
    if (!isSettled) this.#lookSoon()
    return isSettled
  }

  async #lookAt(name: string, walked: WalkedFolder | FolderError | undefined): Promise<boolean> {
    if (!walked) return false
    const isWrong = walked instanceof FolderError
    const stamp = isWrong ? `wrong: ${walked.message}` : walked.stamp
    if (this.#done.get(name)?.stamp === stamp) return true
    // It will be looked at again as soon as that is over.
    if (this.#loading.has(name)) return true
    if (!this.#stillness.isStill(name, stamp, isWrong ? undefined : walked.changedAt)) return false
    // Nobody has begun to fill it yet.
    if (stamp === '') return true
    const loading = this.#load(name, stamp, walked).finally(() => this.#loading.delete(name))
    this.#loading.set(name, loading)
    const late = Promise.withResolvers<boolean>()
    using _timer = this.#timers.after(SLOW_MS, () => {
      void loading.then(() => this.#lookSoon())
      late.resolve(true)
    })
    return await Promise.race([loading, late.promise])
  }

  /** `false`: it changed while it was read. */
  async #load(name: string, stamp: string, walked: WalkedFolder | FolderError): Promise<boolean> {
    try {
      if (walked instanceof FolderError) throw walked
      const folder = join(this.#options.directory, name)
      const loaded = await loadFolder({ name, folder, walked }, this.#options)
      if (!loaded) return false
      this.#done.set(name, { stamp, problem: null })
      this.#options.news.onLoaded(loaded)
    } catch (error) {
      if (!(error instanceof FolderError)) {
        this.#failed(error)
        return true
      }
      const { shown, news } = this.#options
      const problem = error.problems.map((line) => problemLine(`${shown}/${name}`, line)).join('\n')
      this.#done.set(name, { stamp, problem })
      news.onProblem(problem, name)
    }
    return true
  }

  /** What a stopping server takes away from a look is no failure. */
  #failed(error: unknown): void {
    if (!this.#isClosed) this.#options.news.onError(error)
  }

  async #lookAtGone(name: string): Promise<boolean> {
    if (!this.#stillness.isStill(name, 'gone', undefined)) return false
    const { engine, memory, news } = this.#options
    if (await engine.write(() => removeAgent(name))) news.onRemoved(name)
    await memory.set(name, null)
    return true
  }

  #sayOnce(problem: string): void {
    if (this.#problems.has(problem) || this.#problems.size >= MAX_SAID) return
    this.#problems.add(problem)
    this.#options.news.onProblem(`${this.#options.shown}${problem}`)
  }
}

/** A line about the folder itself has no path of its own. */
function problemLine(folder: string, line: string): string {
  return line.startsWith(':') ? folder + line : `${folder}/${line}`
}
