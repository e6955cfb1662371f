import { AsyncLocalStorage } from 'node:async_hooks'
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import type { Duplex, Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { boundedLines } from './bounded-lines.ts'
import { readWord, WORD_BYTES } from './process-words.ts'
import { readLines } from './read-lines.ts'
import type { ProcessJob, ProcessWord, Sent, ToolFiles } from './tool-files.ts'

/** A process ended, or was ended, before it had answered. */
export class ToolProcessError extends Error {
  override readonly name = 'ToolProcessError'
  /** The file that was being imported then. */
  readonly importing: string | undefined
  /** It never took the job up. */
  readonly isUnheard: boolean

  constructor(
    message: string,
    { importing, isUnheard = false }: { importing?: string | undefined; isUnheard?: boolean } = {},
  ) {
    super(message)
    this.importing = importing
    this.isUnheard = isUnheard
  }
}

export type ToolProcessOptions = {
  source: ToolFiles
  environment: Readonly<Record<string, string | undefined>>
  /** A line that it wrote, and what it was doing: the name of a tool, or nothing. */
  onSaid: (line: string, doing: string) => void
  onEnd: (process: ToolProcess) => void
  /** How long a file may take to be imported. Default 30 000. */
  importMs?: number | undefined
}

export type AskOptions = {
  /** What it is, for people. */
  doing: string
  /** Of the work itself, once everything is imported. */
  timeLimitMs: number
  signal: AbortSignal
  onWord?: (word: ProcessWord) => void
}

const IMPORT_MS = 30_000
/** As long may a process go on that was told to stop. */
const GRACE_MS = 1_000
/** What V8 may keep, and what all of it may have, buffers included. */
const HEAP_MB = 512
const RESIDENT_MB = 1_024
const LOOK_MS = 250
/** Of words of no job, or of one that is over, that a process may say beside its own before it is ended for them. */
const STRANGE_CHARACTERS = 64 * 1024
const MEDDLED = 'wrote into the channel between its process and the server, and was ended'

/** `number` is known to nobody but the two ends, so that no tool can speak for another's call. */
type Job = { number: string; onWord: (word: ProcessWord) => void }

type Answer = Extract<ProcessWord, { type: 'listed' | 'done' }>

/** A process for tools of one source. It does one job at a time, and is killed with all it started when it does not end. */
export class ToolProcess {
  readonly #child: ChildProcess
  readonly #importMs: number
  #doing = ''
  #job: Job | undefined
  #strange = 0
  #isOver = false
  #why: string | undefined

  constructor({ source, environment, onSaid, onEnd, importMs = IMPORT_MS }: ToolProcessOptions) {
    this.#importMs = importMs
    // Beside this file, whether that is a source, compiled, or part of the bundle.
    const file = fileURLToPath(new URL(`./tool-worker${extname(import.meta.url)}`, import.meta.url))
    const { project, moved } = source
    const options = [
      ...process.execArgv.filter((argument) => argument.startsWith('--conditions=')),
      `--max-old-space-size=${HEAP_MB}`,
      '--disable-warning=MODULE_TYPELESS_PACKAGE_JSON',
    ]
    this.#child = spawn(process.execPath, [...options, file, JSON.stringify({ project, moved })], {
      env: environment,
      // Not Node's channel: what it cannot read it throws, in the server.
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
      // A group of its own, so that what it starts ends with it.
      detached: true,
    })
    // None of them where not even a pipe could be made; an error tells of it.
    const [, output, errors, channel] = (this.#child.stdio ?? []) as (Readable | undefined)[]
    for (const stream of [output, errors]) if (stream) readLines(stream, (line) => onSaid(line, this.#doing))
    const over = () => {
      if (this.#isOver) return
      this.#killGroup()
      this.#isOver = true
      onEnd(this)
    }
    this.#child.once('exit', over).on('error', over)
    if (channel)
      boundedLines(
        channel.on('error', () => undefined).once('close', () => this.end()),
        {
          limit: WORD_BYTES,
          onLine: (line) => this.#hear(line),
          onTooLong: () => this.end(MEDDLED),
        },
      )
    // Nobody's exit waits for it.
    for (const held of [this.#child, channel, output, errors]) (held as { unref?: () => void } | undefined)?.unref?.()
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  /** It can be asked again: it is there, and has said nothing out of turn. */
  get isSound(): boolean {
    return !this.#isOver && this.#why === undefined && this.#strange === 0
  }

  /** Its answer; throws a `ToolProcessError` when there will be none, and the signal's reason after an abort. */
  async ask(job: ProcessJob, options: AskOptions): Promise<Answer> {
    const { doing, timeLimitMs, signal } = options
    const number = randomUUID()
    // The process is nobody's; what its words lead to is the caller's.
    const inCaller = AsyncLocalStorage.snapshot()
    const answer = Promise.withResolvers<Answer>()
    let importing: string | undefined
    let isUnheard = true
    let limit: NodeJS.Timeout | undefined
    const within = (ms: number, why: string) => {
      clearTimeout(limit)
      limit = setTimeout(() => this.end(why), ms)
    }
    within(this.#importMs, 'did not start')
    const onWord = (word: ProcessWord) => {
      isUnheard = false
      if (word.type === 'importing') {
        importing = word.file
        within(this.#importMs, `could not be imported within ${this.#importMs} ms`)
      }
      if (word.type === 'begun') {
        importing = undefined
        within(timeLimitMs + GRACE_MS, `took longer than ${timeLimitMs} ms`)
      }
      if (word.type !== 'done' && word.type !== 'listed') return options.onWord?.(word)
      // It has said all there is to say.
      this.#job = undefined
      answer.resolve(word)
    }
    const onExit = (code: number | null, by: string | null) =>
      answer.reject(new ToolProcessError(`${doing} ${this.#why ?? explain(code, by)}.`, { importing, isUnheard }))
    const onError = (error: Error) =>
      answer.reject(new ToolProcessError(`No process could be started: ${error.message}`))
    let grace: NodeJS.Timeout | undefined
    const onAbort = () => {
      this.#send({ type: 'abort', job: number })
      grace = setTimeout(() => this.end('was stopped'), GRACE_MS)
    }
    const look = setInterval(() => this.#watchMemory(), LOOK_MS)
    this.#doing = doing
    this.#job = { number, onWord: (word) => inCaller(onWord, word) }
    this.#child.once('exit', onExit).once('error', onError)
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      if (this.#isOver) throw new ToolProcessError(`${doing}: its process has ended.`, { isUnheard })
      signal.throwIfAborted()
      this.#send({ ...job, job: number })
      const answered = await answer.promise
      // What it wrote before it answered is still its own.
      await new Promise(setImmediate)
      return answered
    } catch (error) {
      throw signal.aborted ? signal.reason : error
    } finally {
      for (const timer of [limit, grace, look]) clearTimeout(timer)
      this.#child.off('exit', onExit).off('error', onError)
      signal.removeEventListener('abort', onAbort)
      this.#doing = ''
      this.#job = undefined
    }
  }

  /** At once, with all it started. */
  end(why?: string): void {
    if (this.#isOver) return
    this.#why ??= why
    this.#killGroup()
  }

  #send(message: Sent): void {
    // One that is going can be told nothing; its end is heard of.
    ;(this.#child.stdio?.[3] as Duplex | undefined)?.write(`${JSON.stringify(message)}\n`)
  }

  /** Believed is only what has the number of the job at hand, and the shape of a word. */
  #hear(line: string): void {
    if (this.#why !== undefined) return
    const [said, job] = [readWord(line), this.#job]
    if (!said || !job) return this.end(MEDDLED)
    if (said.job !== job.number) return this.#endure(line)
    if (said.word) job.onWord(said.word)
    else this.end(MEDDLED)
  }

  /** Left out, but not forgotten: whoever speaks out of turn does nothing more after this job. */
  #endure(line: string): void {
    this.#strange += line.length
    if (this.#strange > STRANGE_CHARACTERS) this.end(MEDDLED)
  }

  #killGroup(): void {
    const { pid } = this.#child
    if (pid === undefined) return
    try {
      process.kill(-pid, 'SIGKILL')
    } catch {
      // Nobody is left.
    }
  }

  #watchMemory(): void {
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(read(`/proc/${this.pid}/status`)) ?? []
    if (Number(kilobytes) > RESIDENT_MB * 1_024) this.end(`used more than ${RESIDENT_MB} MB of memory and was ended`)
  }
}

function explain(code: number | null, signal: string | null): string {
  if (signal === 'SIGABRT') return `used more than ${HEAP_MB} MB of memory, or aborted its process`
  return signal ? `was ended by ${signal}` : `ended its process (exit code ${code})`
}

/** Nothing where there is no such file, as on systems without /proc. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
