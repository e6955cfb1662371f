import { availableParallelism } from 'node:os'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { type Found, SearchJob } from './search-job.ts'
import type { Search } from './search-script.ts'
import { SearchWorker } from './search-worker.ts'

export type SearchesOptions = { sandbox: Sandbox; leaseMs: number; timeoutMs?: number }

const TIMEOUT_MS = 30_000
/** Sandboxes that search one workspace at the same time. */
const AT_ONCE = Math.min(4, Math.max(2, availableParallelism()))
/** How long a sandbox waits for one more search, and how long it is used at all. */
const IDLE_MS = 1_000
const LIFETIME_MS = 60_000

/** What whoever reads the results should know. */
export const SEARCH_NOTES = {
  done: undefined,
  timeout: `… (stopped after ${TIMEOUT_MS / 1_000} s; use a narrower pattern or path)`,
  memory:
    '… (stopped: it took too much memory, because of the pattern, a huge line or a huge ignore file; use a narrower path)',
} as const

type Pool = { waiting: SearchJob[]; workers: number; idle: { use: () => void }[] }

/**
 * Searches workspaces, in the sandbox and with its limits: a command may swap any name there at any moment, and a search
 * goes by names. Making a sandbox takes longer than most searches, so it stays for those that follow at once.
 */
export class Searches implements AsyncDisposable {
  readonly #options: SearchesOptions
  readonly #pools = new Map<string, Pool>()
  readonly #workers = new Set<Promise<void>>()
  readonly #closing = new AbortController()

  constructor(options: SearchesOptions) {
    this.#options = options
  }

  /** What is found is found in the workspace. Without a sandbox names may lead anywhere, with the server's rights. */
  get isConfined(): boolean {
    return this.#options.sandbox.level !== 'none'
  }

  /** Rejects when ripgrep has something against the pattern, or the search is aborted. */
  search(workspace: string, search: Search, signal: AbortSignal): Promise<Found> {
    const pool = this.#pools.get(workspace) ?? { waiting: [], workers: 0, idle: [] }
    this.#pools.set(workspace, pool)
    const wanted = new SearchJob(search)
    // One that has not begun sees whatever the new one would.
    const same = pool.waiting.find(({ key, isOver }) => !isOver && key === wanted.key)
    const job = same ?? wanted
    const found = job.ask(signal)
    if (same || job.isOver) return found
    pool.waiting.push(job)
    const idle = pool.idle.pop()
    if (idle) idle.use()
    else if (pool.workers < AT_ONCE) this.#start(workspace, pool)
    return found
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort()
    await Promise.all(this.#workers)
  }

  #start(workspace: string, pool: Pool): void {
    pool.workers++
    const working = this.#work(workspace, pool).finally(() => {
      this.#workers.delete(working)
      pool.workers--
      if (pool.waiting.length > 0) this.#start(workspace, pool)
      else if (pool.workers === 0) this.#pools.delete(workspace)
    })
    this.#workers.add(working)
  }

  /** Does what waits, until nothing has come for a while, or the sandbox is gone. */
  async #work(workspace: string, pool: Pool): Promise<void> {
    const { sandbox, leaseMs, timeoutMs = TIMEOUT_MS } = this.#options
    let job = next(pool)
    let worker: SearchWorker | undefined
    try {
      if (!job) return
      worker = await SearchWorker.start({ sandbox, workspace, leaseMs, timeoutMs, usesIgnoreFiles: this.isConfined })
      const until = performance.now() + LIFETIME_MS
      while (job && (await worker.do(job))) {
        job = performance.now() < until ? (next(pool) ?? (await this.#more(pool))) : undefined
      }
      worker.end()
    } catch (error) {
      job?.fail(error)
    } finally {
      await worker?.kill()
    }
  }

  /** The next one, if it comes soon. */
  async #more(pool: Pool): Promise<SearchJob | undefined> {
    const { signal } = this.#closing
    const { promise, resolve } = Promise.withResolvers<void>()
    const place = { use: resolve }
    const timer = setTimeout(resolve, IDLE_MS).unref()
    signal.addEventListener('abort', () => resolve(), { once: true })
    if (signal.aborted) resolve()
    pool.idle.push(place)
    await promise
    clearTimeout(timer)
    pool.idle = pool.idle.filter((one) => one !== place)
    return next(pool)
  }
}

function next({ waiting }: Pool): SearchJob | undefined {
  for (let job = waiting.shift(); job; job = waiting.shift()) if (!job.isOver) return job
  return undefined
}
