import { type ChildProcess, fork } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readLines } from './read-lines.ts'
import type { ProcessJob, ProcessWord, ToolFiles } from './tool-files.ts'

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

type Answer = Extract<ProcessWord, { type: 'listed' | 'done' }>

/** A process for tools of one source. It does one job at a time, and is killed with all it started when it does not end. */
export class ToolProcess {
  readonly #child: ChildProcess
  readonly #importMs: number
  #doing = ''
  #isOver = false
  #why: string | undefined

  constructor({ source, environment, onSaid, onEnd, importMs = IMPORT_MS }: ToolProcessOptions) {
    this.#importMs = importMs
    // Beside this file, whether that is a source, compiled, or part of the bundle.
    const file = fileURLToPath(new URL(`./tool-worker${extname(import.meta.url)}`, import.meta.url))
    const { project, moved } = source
    this.#child = fork(file, [JSON.stringify({ project, moved })], {
      env: environment,
      execArgv: [
        ...process.execArgv.filter((argument) => argument.startsWith('--conditions=')),
        `--max-old-space-size=${HEAP_MB}`,
        '--disable-warning=MODULE_TYPELESS_PACKAGE_JSON',
      ],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // A group of its own, so that what it starts ends with it.
      detached: true,
    })
    for (const stream of [this.#child.stdout!, this.#child.stderr!])
      readLines(stream, (line) => onSaid(line, this.#doing))
    const over = () => {
      if (this.#isOver) return
      this.#killGroup()
      this.#isOver = true
      onEnd(this)
    }
    this.#child
      .once('exit', over)
      .on('error', over)
      .once('disconnect', () => this.end())
    // Nobody's exit waits for it.
    for (const held of [this.#child, this.#child.channel, this.#child.stdout, this.#child.stderr])
      (held as { unref?: () => void } | null)?.unref?.()
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Its answer; throws a `ToolProcessError` when there will be none, and the signal's reason after an abort. */
  async ask(job: ProcessJob, { doing, timeLimitMs, signal, onWord }: AskOptions): Promise<Answer> {
    const answer = Promise.withResolvers<Answer>()
    let importing: string | undefined
    let isUnheard = true
    let limit: NodeJS.Timeout | undefined
    const within = (ms: number, why: string) => {
      clearTimeout(limit)
      limit = setTimeout(() => this.end(why), ms)
    }
    within(this.#importMs, 'did not start')
    const onMessage = (word: ProcessWord) => {
      isUnheard = false
      if (word.type === 'importing') {
        importing = word.file
        within(this.#importMs, `could not be imported within ${this.#importMs} ms`)
      }
      if (word.type === 'begun') {
        importing = undefined
        within(timeLimitMs + GRACE_MS, `took longer than ${timeLimitMs} ms`)
      }
      if (word.type === 'done' || word.type === 'listed') answer.resolve(word)
      else onWord?.(word)
    }
    const onExit = (code: number | null, by: string | null) =>
      answer.reject(new ToolProcessError(`${doing} ${this.#why ?? explain(code, by)}.`, { importing, isUnheard }))
    const onError = (error: Error) =>
      answer.reject(new ToolProcessError(`No process could be started: ${error.message}`))
    let grace: NodeJS.Timeout | undefined
    const onAbort = () => {
      this.#send({ type: 'abort' })
      grace = setTimeout(() => this.end('was stopped'), GRACE_MS)
    }
    const look = setInterval(() => this.#watchMemory(), LOOK_MS)
    this.#doing = doing
    this.#child.on('message', onMessage).once('exit', onExit).once('error', onError)
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      if (this.#isOver) throw new ToolProcessError(`${doing}: its process has ended.`, { isUnheard })
      signal.throwIfAborted()
      this.#send(job)
      const answered = await answer.promise
      // What it wrote before it answered is still its own.
      await new Promise(setImmediate)
      return answered
    } catch (error) {
      throw signal.aborted ? signal.reason : error
    } finally {
      for (const timer of [limit, grace, look]) clearTimeout(timer)
      this.#child.off('message', onMessage).off('exit', onExit).off('error', onError)
      signal.removeEventListener('abort', onAbort)
      this.#doing = ''
    }
  }

  /** At once, with all it started. */
  end(why?: string): void {
    if (this.#isOver) return
    this.#why ??= why
    this.#killGroup()
  }

  #send(message: ProcessJob | { type: 'abort' }): void {
    // One that is going can be told nothing; its end is heard of.
    this.#child.send(message, () => undefined)
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
