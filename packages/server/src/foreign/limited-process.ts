import { type ChildProcess, fork } from 'node:child_process'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What it can do, by name; `worker.ts` does it. */
export type JobName = 'schema' | 'chart'

export type LimitedProcessOptions = {
  job: JobName
  /** Of one job, counted from when it begins. */
  timeLimitMs: number
  /** Of all that a job has in its hands. */
  memoryMb: number
}

/** A job that came to no end: `slow` ran into its limit, of time or of memory; `busy` was never begun. */
export class LimitError extends Error {
  readonly reason: 'slow' | 'busy'

  constructor(reason: 'slow' | 'busy', message: string) {
    super(message)
    this.name = 'LimitError'
    this.reason = reason
  }
}

type Pending = { input: unknown; settle: PromiseWithResolvers<unknown> }
type Reply = { value: unknown } | { error: string }

const MAX_WAITING = 64
const START_MS = 30_000
const IDLE_MS = 60_000

/**
 * A process for work that others decide about: expressions, schemas, drawings. It is started by the first job, does one at
 * a time, and is killed and replaced when one takes too long, so that nothing of it ever holds the server itself. No
 * thread: one that runs out of memory takes its whole process along.
 */
export class LimitedProcess {
  readonly #options: LimitedProcessOptions
  readonly #waiting: Pending[] = []
  #worker: Promise<ChildProcess> | undefined
  #isWorking = false
  #idle: NodeJS.Timeout | undefined

  constructor(options: LimitedProcessOptions) {
    this.#options = options
  }

  /** What the job returns. A throw of the job is a plain `Error` with its message; a limit is a `LimitError`. */
  async run<T>(input: unknown): Promise<T> {
    if (this.#waiting.length >= MAX_WAITING)
      throw new LimitError('busy', 'Too much of this is waiting already; try again in a moment.')
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
    let worker: ChildProcess
    try {
      worker = await this.#worker
    } catch (error) {
      this.#worker = undefined
      throw error
    }
    const { timeLimitMs } = this.#options
    const reply = await nextReply(worker, timeLimitMs, () => void worker.send(input as object))
    if (!reply) {
      this.#end()
      throw new LimitError('slow', `It took more than ${timeLimitMs} ms, or more memory than it may have.`)
    }
    if ('error' in reply) throw new Error(reply.error)
    return reply.value
  }

  async #start(): Promise<ChildProcess> {
    const { job, memoryMb } = this.#options
    // Beside this file, whether that is a source, compiled, or part of the bundle.
    const file = fileURLToPath(new URL(`./worker${extname(import.meta.url)}`, import.meta.url))
    const worker = fork(file, [job, String(memoryMb)], {
      // Nothing of the server's own: no secret, no option that tests or operators gave it.
      env: {},
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
    })
    // Nobody's exit waits for it.
    worker.unref()
    worker.channel?.unref()
    worker.on('error', () => undefined)
    if (await nextReply(worker, START_MS)) return worker
    worker.kill('SIGKILL')
    throw new LimitError('busy', 'The process for this could not be started; try again in a moment.')
  }

  #end(): void {
    void this.#worker?.then((worker) => worker.kill('SIGKILL'))
    this.#worker = undefined
  }
}

/** What it says next; `undefined` when it says nothing in time, or has died. */
async function nextReply(worker: ChildProcess, timeoutMs: number, begin = () => {}): Promise<Reply | undefined> {
  const said = Promise.withResolvers<Reply | undefined>()
  const isOver = () => said.resolve(undefined)
  const onReply = (reply: unknown) => said.resolve(reply as Reply)
  const timer = setTimeout(isOver, timeoutMs)
  worker.once('message', onReply).once('exit', isOver).once('error', isOver)
  begin()
  try {
    return await said.promise
  } finally {
    clearTimeout(timer)
    worker.off('message', onReply).off('exit', isOver).off('error', isOver)
  }
}
