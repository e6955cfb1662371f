import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'

/** What the thread can do, by name; `jobs.ts` does it. */
export type JobName = 'schema' | 'chart'

export type LimitedThreadOptions = {
  job: JobName
  /** Of one job, counted from when the thread begins it. */
  timeLimitMs: number
  /** Of the whole thread. */
  memoryMb: number
}

/** A job that came to no end: `slow` ran into its limit, of time or of memory; `busy` was never begun. */
export class ThreadError extends Error {
  readonly reason: 'slow' | 'busy'

  constructor(reason: 'slow' | 'busy', message: string) {
    super(message)
    this.name = 'ThreadError'
    this.reason = reason
  }
}

type Pending = { input: unknown; settle: PromiseWithResolvers<unknown> }
type Reply = { value: unknown } | { error: string }

const MAX_WAITING = 64
const START_MS = 30_000
const IDLE_MS = 60_000

/**
 * A thread for work that others decide about: expressions, schemas, drawings. It is started by the first job, does one at
 * a time, and is killed and replaced when one takes too long, so that nothing of it ever holds the server itself.
 */
export class LimitedThread {
  readonly #options: LimitedThreadOptions
  readonly #waiting: Pending[] = []
  #worker: Promise<Worker> | undefined
  #isWorking = false
  #idle: NodeJS.Timeout | undefined

  constructor(options: LimitedThreadOptions) {
    this.#options = options
  }

  /** What the job returns. A throw of the job is a plain `Error` with its message; a limit is a `ThreadError`. */
  async run<T>(input: unknown): Promise<T> {
    if (this.#waiting.length >= MAX_WAITING)
      throw new ThreadError('busy', 'Too much of this is waiting already; try again in a moment.')
    const settle = Promise.withResolvers<unknown>()
    this.#waiting.push({ input, settle })
    void this.#work()
    return settle.promise as Promise<T>
  }

  async #work(): Promise<void> {
    if (this.#isWorking) return
    this.#isWorking = true
    clearTimeout(this.#idle)
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift())
      await this.#do(next.input).then(next.settle.resolve, next.settle.reject)
    this.#isWorking = false
    this.#idle = setTimeout(() => this.#end(), IDLE_MS).unref()
  }

  async #do(input: unknown): Promise<unknown> {
    this.#worker ??= this.#start()
    let worker: Worker
    try {
      worker = await this.#worker
    } catch (error) {
      this.#worker = undefined
      throw error
    }
    const { timeLimitMs } = this.#options
    const reply = await nextReply(worker, timeLimitMs, () => worker.postMessage(input, []))
    if (!reply) {
      this.#end()
      throw new ThreadError('slow', `It took more than ${timeLimitMs} ms, or more memory than it may have.`)
    }
    if ('error' in reply) throw new Error(reply.error)
    return reply.value
  }

  async #start(): Promise<Worker> {
    const { job, memoryMb } = this.#options
    // Beside this file, whether that is a source, compiled, or part of the bundle.
    const file = new URL(`./worker${extname(import.meta.url)}`, import.meta.url)
    const worker = new Worker(file, { workerData: job, resourceLimits: { maxOldGenerationSizeMb: memoryMb } })
    // Nobody's exit waits for it.
    worker.unref()
    worker.on('error', () => undefined)
    if (await nextReply(worker, START_MS)) return worker
    void worker.terminate()
    throw new ThreadError('busy', 'The thread for this could not be started; try again in a moment.')
  }

  #end(): void {
    void this.#worker?.then((worker) => worker.terminate())
    this.#worker = undefined
  }
}

/** What the thread says next; `undefined` when it says nothing in time, or has died. */
async function nextReply(worker: Worker, timeoutMs: number, begin = () => {}): Promise<Reply | undefined> {
  const said = Promise.withResolvers<Reply | undefined>()
  const isOver = () => said.resolve(undefined)
  const timer = setTimeout(isOver, timeoutMs)
  worker.once('message', said.resolve)
  worker.once('exit', isOver)
  begin()
  try {
    return await said.promise
  } finally {
    clearTimeout(timer)
    worker.off('message', said.resolve)
    worker.off('exit', isOver)
  }
}
