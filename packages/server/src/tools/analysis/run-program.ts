import { parseBoundedJson } from '@parley/protocol/wire'
import { explain } from '../../sandbox/explain-end.ts'
import { startGuarded } from '../../sandbox/run-guarded.ts'
import type { Place, Sandbox } from '../../sandbox/sandbox.ts'
import { PROGRAM_RUNNER, STREAM_BYTES } from './program-runner.ts'

export type ProgramOptions = Place & {
  reads: string
  sandbox: Sandbox
  leaseMs: number
  /** A program and its arguments. */
  command: readonly string[]
  timeLimitMs: number
  signal: AbortSignal
}

export type ProgramEnd = { code: number; stdout: string; stderr: string }

/** Lines of the runner hold both streams as base64, and little else; more than this is no honest runner's. */
const MAX_BYTES = 4 * STREAM_BYTES
/** Nothing that ran to its end has it. */
const KILLED = -1

/**
 * Runs a program of the model where it can change its own directory alone, read the session's files, and reach nobody. Of
 * the environment it gets what every command has, and where the session's files are; no variable of the session, which
 * may be a secret. Throws when it was interrupted; everything else is an end.
 */
export async function runProgram(options: ProgramOptions): Promise<ProgramEnd> {
  const { workspace, reads, sandbox, leaseMs, command, timeLimitMs, signal } = options
  signal.throwIfAborted()
  const process_ = await startGuarded({
    ...{ workspace, reads, sandbox, leaseMs, timeLimitMs, purpose: 'analysis' },
    command: `exec "${process.execPath}" -e "$PARLEY_RUNNER"`,
    env: { WORKSPACE: reads, PARLEY_PROGRAM: JSON.stringify(command), PARLEY_RUNNER: PROGRAM_RUNNER },
  })
  const lines = new RunnerLines()
  process_.output.on('data', (chunk: Buffer) => lines.add(chunk))
  signal.addEventListener('abort', process_.kill, { once: true })
  if (signal.aborted) process_.kill()
  const end = await process_.ended
  signal.removeEventListener('abort', process_.kill)
  signal.throwIfAborted()
  const { stdout, stderr, code } = lines.read()
  if (end.by === 'exit' && code !== undefined) return { code, stdout, stderr }
  const why =
    end.by === 'time'
      ? `TimeoutError: The code execution exceeded the timeout of ${timeLimitMs / 1_000} seconds.`
      : (explain(end, { timeLimitMs, isReadOnly: process_.isReadOnly }) ?? 'The program could not be run.')
  return { code: KILLED, stdout, stderr: stderr === '' ? why : `${stderr}\n${why}` }
}

/** What the runner told, in bounded memory. */
class RunnerLines {
  readonly #chunks: Buffer[] = []
  #room = MAX_BYTES

  add(chunk: Buffer): void {
    const kept = chunk.subarray(0, this.#room)
    this.#room -= kept.length
    if (kept.length > 0) this.#chunks.push(kept)
  }

  read(): { stdout: string; stderr: string; code: number | undefined } {
    const streams = { out: [] as Buffer[], err: [] as Buffer[] }
    let code: number | undefined
    for (const line of Buffer.concat(this.#chunks).toString('utf8').split('\n')) {
      const told = parseBoundedJson(line)
      if (!Array.isArray(told)) continue
      const [name, value] = told as unknown[]
      if (name === 'exit' && Number.isInteger(value)) code = value as number
      if ((name === 'out' || name === 'err') && typeof value === 'string')
        streams[name].push(Buffer.from(value, 'base64'))
    }
    return { stdout: textOf(streams.out), stderr: textOf(streams.err), code }
  }
}

function textOf(chunks: readonly Buffer[]): string {
  return Buffer.concat(chunks).subarray(0, STREAM_BYTES).toString('utf8')
}
