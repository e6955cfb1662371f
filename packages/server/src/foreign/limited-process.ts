import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What it can do, by name; `worker.ts` does it. */
export type JobName = 'schema' | 'chart' | 'document' | 'tokens' | 'openapi'

export type LimitedProcessOptions = {
  job: JobName
  /** Of one job: processor time, where the system tells it, and ten times as much by the clock. */
  timeLimitMs: number
  /** Of all that a job has in its hands, whoever allocated it. */
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

type Pending = { input: unknown; signal: AbortSignal | undefined; answer: PromiseWithResolvers<unknown> }
type Reply = { value: unknown } | { error: string }

const MAX_WAITING = 64
/** A busy machine may keep a job waiting for as many times its limit. */
const PATIENCE = 10
const START_MS = 30_000
const LOOK_MS = 50
/** What /proc counts in, on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100
const IDLE_MS = 60_000
const STOPPING = 'The server is stopping.'

/**
 * A process for work that others decide about: expressions, schemas, drawings. It is started by the first job, does one at
 * a time, and is killed and replaced when one takes too long, so that nothing of it ever holds the server itself. No
 * thread: one that runs out of memory takes its whole process along.
 */
export class LimitedProcess implements AsyncDisposable {
  readonly #options: LimitedProcessOptions
  readonly #waiting: Pending[] = []
  #worker: Promise<ChildProcess> | undefined
  #isWorking = false
  #isClosed = false
  #idle: NodeJS.Timeout | undefined

  constructor(options: LimitedProcessOptions) {
    this.#options = options
  }

  /**
   * What the job returns. A throw of the job is a plain `Error` with its message; a limit is a `LimitError`. An abort ends
   * the job with its process.
   */
  async run<T>(input: unknown, signal?: AbortSignal): Promise<T> {
    if (this.#waiting.length >= MAX_WAITING)
      throw new LimitError('busy', 'Too much of this is waiting already; try again in a moment.')
    const answer = Promise.withResolvers<unknown>()
    const giveUp = () => answer.reject(signal?.reason)
    signal?.addEventListener('abort', giveUp)
    this.#waiting.push({ input, signal, answer })
    void this.#work()
    return answer.promise.finally(() => signal?.removeEventListener('abort', giveUp)) as Promise<T>
  }

  async #work(): Promise<void> {
    if (this.#isWorking) return
    this.#isWorking = true
    clearTimeout(this.#idle)
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift())
      await this.#do(next).then(next.answer.resolve, next.answer.reject)
    this.#isWorking = false
    if (!this.#isClosed) this.#idle = setTimeout(() => this.#end(), IDLE_MS).unref()
  }

  async #do({ input, signal }: Pending): Promise<unknown> {
    signal?.throwIfAborted()
    if (this.#isClosed) throw new LimitError('busy', STOPPING)
    this.#worker ??= this.#start()
    let worker: ChildProcess
    try {
      worker = await this.#worker
    } catch (error) {
      this.#worker = undefined
      throw error
    }
    const { timeLimitMs } = this.#options
    const [used, begun] = [processorMs(worker), performance.now()]
    // What it did not get the processor for is not its fault.
    const isOver = () =>
      signal?.aborted ||
      processorMs(worker) - used >= timeLimitMs ||
      performance.now() - begun >= timeLimitMs * PATIENCE
    const reply = await nextReply(worker, isOver, () => void worker.send(input as object))
    if (!reply) {
      this.#end()
      signal?.throwIfAborted()
      if (this.#isClosed) throw new LimitError('busy', STOPPING)
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
    const begun = performance.now()
    if (await nextReply(worker, () => performance.now() - begun >= START_MS)) return worker
    worker.kill('SIGKILL')
    throw new LimitError('busy', 'The process for this could not be started; try again in a moment.')
  }

  #end(): void {
    void this.#worker?.then((worker) => worker.kill('SIGKILL'))
    this.#worker = undefined
  }

  /** What is under way or waits fails, as `busy`. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#idle)
    const worker = await this.#worker?.catch(() => undefined)
    this.#worker = undefined
    if (!worker || worker.exitCode !== null || worker.signalCode !== null) return
    worker.kill('SIGKILL')
    worker.ref()
    await once(worker, 'exit')
  }
}

/** What it says next; `undefined` when it says nothing in time, or has died. */
async function nextReply(
  worker: ChildProcess,
  isOver: () => boolean | undefined,
  begin = () => {},
): Promise<Reply | undefined> {
  const said = Promise.withResolvers<Reply | undefined>()
  const giveUp = () => said.resolve(undefined)
  const onReply = (reply: unknown) => said.resolve(reply as Reply)
  const timer = setInterval(() => isOver() && giveUp(), LOOK_MS)
  worker.once('message', onReply).once('exit', giveUp).once('error', giveUp)
  begin()
  try {
    return await said.promise
  } finally {
    clearInterval(timer)
    worker.off('message', onReply).off('exit', giveUp).off('error', giveUp)
  }
}

/** What it has used so far; where nobody tells, as much as it could have. */
function processorMs({ pid }: ChildProcess): number {
  try {
    const [, fields = ''] = /\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
    const [user, system] = fields.split(' ').slice(11, 13)
    return ((Number(user) + Number(system)) * 1_000) / TICKS_PER_SECOND
  } catch {
    return performance.now()
  }
}
