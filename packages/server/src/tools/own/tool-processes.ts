import { AsyncLocalStorage } from 'node:async_hooks'
import { basename } from 'node:path'
import type { JsonValue, ToolOutput } from '../../ports.ts'
import { Tether } from '../../sandbox/tether.ts'
import { changedFile } from './file-digests.ts'
import { Slots } from './slots.ts'
import { type AskOptions, ToolProcess, ToolProcessError } from './tool-process.ts'
import { nameProblem } from './own-problems.ts'
import type { CallContext, ListedTools, ProcessJob, Progress, ToolFiles, ToolSpec } from './tool-files.ts'

export type ToolProcessesOptions = {
  /** What they get of it; see `own-environment.ts`. */
  environment: Readonly<Record<string, string>>
  leaseMs: number
  /** A line that a tool wrote; of one that is between calls without its name. */
  onSaid: (line: string, tool: string) => void
  /** How long a file may take to be imported. Default 30 000. */
  importMs?: number
  /** How long one that has nothing to do is kept. Default 60 000. */
  idleMs?: number
}

export type ToolCall = {
  tool: Pick<ToolSpec, 'name' | 'file' | 'timeoutMs'>
  input: JsonValue
  context: CallContext
  signal: AbortSignal
  onProgress: (progress: Progress) => void
}

/** All there are of them at a time, busy or not; further calls wait for their turn, and no session has more than half. */
const PROCESSES = 8
/** Who looks at files: no session. */
const LISTING = ''
const IDLE_MS = 60_000
const CHANGED = 'has changed since the server started. Restart the server to use it.'

type Idle = { process: ToolProcess; key: string; timer: NodeJS.Timeout }

/**
 * Where own tools run: in processes of their own, a call at a time in each, so that whatever one of them does harms its own
 * call only. A process imports the files itself; what modules keep is kept per process, and goes with it.
 */
export class ToolProcesses implements Disposable {
  readonly #options: ToolProcessesOptions
  readonly #tether: Tether
  readonly #slots = new Slots(PROCESSES)
  readonly #all = new Set<ToolProcess>()
  /** Processes outlive the run that needs one first: what they do must not be taken for that run's doing. */
  readonly #outside = AsyncLocalStorage.snapshot()
  #idle: Idle[] = []

  constructor(options: ToolProcessesOptions) {
    this.#options = options
    this.#tether = new Tether(options.leaseMs)
  }

  /** What the files of a source export, and what is wrong with them; never throws but after an abort. */
  async list(source: ToolFiles, signal: AbortSignal = new AbortController().signal): Promise<ListedTools> {
    const problems: ListedTools['problems'] = []
    let files = source.files
    for (;;)
      try {
        const asked = { doing: 'The file', timeLimitMs: 0, signal }
        const found = await this.#ask(source, { type: 'list', files }, asked)
        if (found.type !== 'listed') throw new Error('A process answered something else.')
        return withoutReserved({ tools: found.tools, problems: [...problems, ...found.problems] })
      } catch (error) {
        if (!(error instanceof ToolProcessError)) throw error
        const { importing, message } = error
        if (importing === undefined || !files.includes(importing))
          return { tools: [], problems: [...problems, ...files.map((file) => ({ file, message }))] }
        // It took the process along; the others may be sound.
        const { from, to } = source.moved ?? { from: '', to: '' }
        problems.push({ file: importing.replace(to, from), message })
        files = files.filter((file) => file !== importing)
      }
  }

  /** Runs a tool. Throws the signal's reason after an abort; anything else that goes wrong is an error output. */
  async call(source: ToolFiles, { tool, input, context, signal, onProgress }: ToolCall): Promise<ToolOutput> {
    const { name, file, timeoutMs } = tool
    try {
      const done = await this.#ask(
        source,
        { type: 'call', file, name, input, context },
        {
          doing: name,
          timeLimitMs: timeoutMs,
          signal,
          onWord: (word) => word.type === 'progress' && onProgress(word),
        },
      )
      if (done.type !== 'done') throw new Error('A process answered something else.')
      return done.status === 'error' ? { result: done.result, isError: true } : { result: done.result }
    } catch (error) {
      if (error instanceof ToolProcessError) return { result: error.message, isError: true }
      throw error
    }
  }

  [Symbol.dispose](): void {
    this.#all.forEach((process) => process.end('was stopped'))
    this.#tether[Symbol.dispose]()
  }

  async #ask(source: ToolFiles, job: ProcessJob, options: AskOptions) {
    const who = job.type === 'call' ? job.context.session_id : LISTING
    await this.#slots.take(who, options.signal)
    const key = JSON.stringify(source)
    try {
      const changed = await changedFile(source.digests ?? {})
      if (changed !== undefined)
        throw new ToolProcessError(`${options.doing} did not run: ${basename(changed)} ${CHANGED}`)
      const warm = this.#take(key)
      try {
        return await this.#askOf(warm ?? this.#outside(() => this.#start(source)), key, { job, options })
      } catch (error) {
        // What an earlier call left behind ended it, before it had heard of this one.
        if (!warm || !(error instanceof ToolProcessError && error.isUnheard)) throw error
        return await this.#askOf(
          this.#outside(() => this.#start(source)),
          key,
          { job, options },
        )
      }
    } finally {
      this.#slots.free(who)
    }
  }

  async #askOf(process: ToolProcess, key: string, { job, options }: { job: ProcessJob; options: AskOptions }) {
    let isUsable = false
    try {
      const answer = await process.ask(job, options)
      isUsable = process.isSound && !(answer.type === 'done' && answer.isSpent)
      return answer
    } finally {
      if (isUsable) this.#outside(() => this.#keep(process, key))
      else process.end()
    }
  }

  /** One that has imported these files already, the last that was used. */
  #take(key: string): ToolProcess | undefined {
    const found = this.#idle.findLast((each) => each.key === key)
    if (found) this.#forget(found)
    return found?.process
  }

  #start(source: ToolFiles): ToolProcess {
    // Whoever has a slot has the right to a process; one that only waits makes room.
    const oldest = this.#all.size >= PROCESSES ? this.#idle[0] : undefined
    if (oldest) this.#end(oldest)
    const { environment, onSaid, importMs } = this.#options
    const process = new ToolProcess({
      source,
      environment: { ...environment, ...this.#tether.variables() },
      onSaid,
      importMs,
      onEnd: () => {
        this.#all.delete(process)
        const idle = this.#idle.find((each) => each.process === process)
        if (idle) this.#forget(idle)
      },
    })
    this.#all.add(process)
    return process
  }

  #keep(process: ToolProcess, key: string): void {
    const { idleMs = IDLE_MS } = this.#options
    const idle: Idle = { process, key, timer: setTimeout(() => this.#end(idle), idleMs).unref() }
    this.#idle.push(idle)
  }

  #end(idle: Idle): void {
    this.#forget(idle)
    idle.process.end()
  }

  #forget(idle: Idle): void {
    clearTimeout(idle.timer)
    this.#idle = this.#idle.filter((each) => each !== idle)
  }
}

function withoutReserved({ tools, problems }: ListedTools): ListedTools {
  const wrong = tools.flatMap(({ name, file }) => {
    const problem = nameProblem(name, new Set())
    return problem === undefined ? [] : [{ file, message: `${problem}.` }]
  })
  return {
    tools: tools.filter(({ name }) => nameProblem(name, new Set()) === undefined),
    problems: [...problems, ...wrong],
  }
}
