import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { ripgrepPath } from '../../sandbox/ripgrep-path.ts'
import { type Guarded, startGuarded } from '../../sandbox/run-guarded.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import type { SearchJob } from './search-job.ts'
import { searchCall, workerScript } from './search-script.ts'

export type SearchWorkerOptions = {
  sandbox: Sandbox
  workspace: string
  leaseMs: number
  timeoutMs: number
  /** Only where the files that ripgrep then opens can be none of the host's. */
  usesIgnoreFiles: boolean
}

const CUT_MS = 200

/** A shell in the sandbox that searches one workspace, one search after another. Each is waited for before the next. */
export class SearchWorker {
  readonly #options: SearchWorkerOptions
  readonly #mark: string
  readonly #guarded: Guarded
  #job: SearchJob | undefined
  #isReady = false
  /** Resolves when the job's output has come to its end. */
  #turn = Promise.withResolvers<void>()

  private constructor(options: SearchWorkerOptions, mark: string, guarded: Guarded) {
    this.#options = options
    this.#mark = mark
    this.#guarded = guarded
  }

  static async start(options: SearchWorkerOptions): Promise<SearchWorker> {
    const { sandbox, workspace, leaseMs, usesIgnoreFiles } = options
    // Nobody who writes files can know it, so no file can pretend to be the end of a result.
    const mark = randomUUID()
    const command = workerScript({ ripgrep: await ripgrepPath(), mark, usesIgnoreFiles })
    const guarded = await startGuarded({
      sandbox,
      workspace,
      command,
      env: {},
      leaseMs,
      takesInput: true,
      purpose: 'search',
    })
    const worker = new SearchWorker(options, mark, guarded)
    void worker.#read()
    return worker
  }

  /** Settles the job, whatever happens. `false`: this worker is of no use any more. */
  async do(job: SearchJob): Promise<boolean> {
    this.#job = job
    this.#turn = Promise.withResolvers()
    const late = setTimeout(() => {
      job.end('timeout')
      this.#guarded.kill()
    }, this.#options.timeoutMs)
    this.#guarded.input.write(`${searchCall(job.search, this.#options.usesIgnoreFiles)}\0`)
    const finished = this.#turn.promise.then(() => 'finished' as const)
    const first = await Promise.race([finished, job.over(), this.#guarded.ended])
    clearTimeout(late)
    if (first === 'finished') return true
    // ripgrep ends by itself when it has more to say and nobody listens.
    if (job.isCut && (await Promise.race([finished, delay(CUT_MS)])) === 'finished') return true
    // Given up, late, or the sandbox is gone: what is left of it must not go on.
    this.#guarded.kill()
    const { by } = await this.#guarded.ended
    if (!job.isOver) job.breakOff(by)
    return false
  }

  /** Lets it end by itself. */
  end(): void {
    this.#guarded.input.end()
  }

  async kill(): Promise<void> {
    this.#guarded.kill()
    await this.#guarded.ended
  }

  async #read(): Promise<void> {
    let rest = ''
    try {
      for await (const text of this.#guarded.output.setEncoding('utf8') as AsyncIterable<string>) {
        const lines = (rest + text).split('\n')
        rest = lines.pop()!
        for (const line of lines) this.#take(line)
      }
    } catch {
      // Killed; its end tells the rest.
    }
  }

  #take(line: string): void {
    if (!line.startsWith(this.#mark)) return this.#job?.add(line)
    if (!this.#isReady) {
      // What was said before was said by whoever made the sandbox.
      this.#isReady = true
      this.#job?.begin()
      return
    }
    this.#job?.finish(Number(line.slice(this.#mark.length)))
    this.#turn.resolve()
  }
}
