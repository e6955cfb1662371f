import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { AgentFolder, FRESH_MS, type FolderOptions } from './agent-folder.ts'
import { findFolders } from './folder/find-folders.ts'
import { DirectoryWatch } from './watch-directories.ts'

/** Watching misses changes on some file systems. */
const LOOK_MS = 5_000
/** How long a start waits for folders that somebody is still writing. */
const START_MS = 5_000
/** What comes after a word of the watch. */
const SOON_MS = 50
/** How long a stop waits for a file system that hangs. */
const STOP_MS = 2_000
/** What is said about the directory of all. */
const MAX_SAID = 200

export type FoldersOptions = Omit<FolderOptions, 'signal' | 'inTurn' | 'onDirectories'> & {
  /** The directory of all need not be there, as long as no agent came from it. */
  mayLack: boolean
}

/** The folders of agents, or of solutions: which there are, and looks at each, at the start and whenever one may have changed. */
export class AgentFolders implements AsyncDisposable {
  readonly #options: FolderOptions & Pick<FoldersOptions, 'mayLack'>
  readonly #closing = new AbortController()
  readonly #watch = new DirectoryWatch((directory) => this.#noticed(directory))
  readonly #folders = new Map<string, AgentFolder>()
  readonly #said = new Set<string>()
  #listing: Promise<void> | undefined
  #listedAt = -Infinity
  #hasNews = false
  #reading: Promise<unknown> = Promise.resolve()
  #timer: Disposable | undefined
  #poll: Disposable | undefined

  constructor(options: FoldersOptions) {
    this.#options = {
      ...options,
      signal: this.#closing.signal,
      inTurn: (work) => this.#inTurn(work),
      onDirectories: () => this.#watchAll(),
    }
  }

  /** Resolves when every folder is loaded, or found wanting; or, for those that somebody is still writing, a little later. */
  async start(): Promise<void> {
    await this.#within(START_MS, this.#list())
    await Promise.all(this.#all.map((folder) => folder.settledWithin(START_MS)))
    this.#poll = this.#timers.every(LOOK_MS, () => void this.#lookAtAll())
  }

  /** Why a folder is not the newest version of its agent, by the agent's name. */
  get problems(): ReadonlyMap<string, string> {
    return new Map(this.#all.flatMap(({ name, problem }) => (problem === null ? [] : [[name, problem]])))
  }

  /** For whoever is about to use the newest version: waits for its folder alone, and only when that is changing. */
  async fresh(name: string): Promise<void> {
    const isDue = this.#hasNews || this.#timers.elapsed() - this.#listedAt >= FRESH_MS
    if (isDue) await this.#within(FRESH_MS, this.#list())
    await this.#folders.get(name)?.fresh()
  }

  /** Whether there is one, loaded or not: nobody gets the configuration's tools because a folder with fewer is not ready. */
  async hasFolder(name: string): Promise<boolean> {
    const entries = await readdir(join(this.#options.directory, name)).catch(() => [])
    return entries.some((entry) => !entry.startsWith('.'))
  }

  /** Ends what is being looked at and loaded: nothing of it may reach the store after this. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(new Error('The server is stopping.'))
    this.#watch[Symbol.dispose]()
    this.#timer?.[Symbol.dispose]()
    this.#poll?.[Symbol.dispose]()
    await this.#within(STOP_MS, Promise.all([this.#listing, ...this.#all.map((folder) => folder.ended())]))
  }

  get #all(): AgentFolder[] {
    return [...this.#folders.values()]
  }

  async #within(ms: number, work: Promise<unknown>): Promise<void> {
    const patience = Promise.withResolvers<void>()
    using _timer = this.#timers.after(ms, patience.resolve)
    await Promise.race([patience.promise, work])
  }

  get #timers() {
    return this.#options.engine.timers
  }

  #noticed(directory: string): void {
    const folder = this.#all.find(({ directories }) => directories.includes(directory))
    if (folder) return folder.noticed()
    this.#hasNews = true
    this.#timer ??= this.#timers.after(SOON_MS, () => {
      this.#timer = undefined
      void this.#lookAtAll()
    })
  }

  async #lookAtAll(): Promise<void> {
    await this.#list()
    for (const folder of this.#folders.values()) void folder.look()
  }

  #list(): Promise<void> {
    if (this.#closing.signal.aborted) return Promise.resolve()
    this.#listing ??= this.#listOnce().finally(() => (this.#listing = undefined))
    return this.#listing
  }

  async #listOnce(): Promise<void> {
    this.#hasNews = false
    this.#listedAt = this.#timers.elapsed()
    const { directory, memory, mayLack, kind } = this.#options
    const { names, problems, isAbsent } = await findFolders(directory, kind)
    if (isAbsent && mayLack && memory.names.length === 0) return
    for (const problem of problems) this.#sayOnce(problem)
    // None of its agents is gone because the directory of all cannot be read.
    if (!names || this.#closing.signal.aborted) return
    const remembered = memory.names.filter((name) => kind.isName(name) && memory.digestOf(name) !== null)
    const wanted = new Set([...names, ...remembered])
    for (const [name, folder] of this.#folders) if (!wanted.has(name)) this.#forget(folder)
    for (const name of wanted) if (!this.#folders.has(name)) this.#begin(name)
    this.#watchAll()
  }

  #begin(name: string): void {
    const folder = new AgentFolder(name, this.#options)
    this.#folders.set(name, folder)
    void folder.look()
  }

  /** One that is under way is waited for: it may come back. */
  #forget(folder: AgentFolder): void {
    if (!folder.isBusy) this.#folders.delete(folder.name)
  }

  /** The outermost first: there may be more than can be watched. */
  #watchAll(): void {
    if (this.#closing.signal.aborted) return
    const inner = this.#all.map(({ directories }) => directories)
    const outer = inner.flatMap(([top]) => (top === undefined ? [] : [top]))
    this.#watch.set([this.#options.directory, ...outer, ...inner.flatMap((directories) => directories.slice(1))])
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#reading.then(work)
    this.#reading = done.catch(() => undefined)
    return done
  }

  #sayOnce(problem: string): void {
    if (this.#said.has(problem) || this.#said.size >= MAX_SAID) return
    this.#said.add(problem)
    this.#options.news.onProblem(`${this.#options.shown}${problem}`)
  }
}
