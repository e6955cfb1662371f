import { explain } from '../sandbox/explain-end.ts'
import type { Guarded, GuardedEnd } from '../sandbox/run-guarded.ts'
import { storageFailure } from '../store/storage-failure.ts'
import { keepOutput } from './background-output.ts'
import type { TaskEnd } from './background-rows.ts'

export type OwnTaskOptions = {
  session_id: string
  process: Guarded
  timeLimitMs: number
  /** Where its output is kept. */
  path: string
  onError: (error: unknown) => void
}

const STOPPED_BY_SHUTDOWN = 'stopped with its server'

/** A background command that runs under this very process. */
export class OwnTask {
  readonly session_id: string
  /** Settles once it has ended and that is recorded. */
  isOver: Promise<void> = Promise.resolve()
  readonly #options: OwnTaskOptions
  #wasStopped = false

  constructor(options: OwnTaskOptions) {
    this.session_id = options.session_id
    this.#options = options
  }

  /** Somebody asked for it. */
  stop(): void {
    this.#wasStopped = true
    this.kill()
  }

  kill(): void {
    this.#options.process.kill()
  }

  /** Keeps its output to the end, and tells how it ended. */
  async follow(): Promise<TaskEnd> {
    const { process, path, onError } = this.#options
    try {
      await keepOutput(process.output, path)
    } catch (error) {
      // A command whose output cannot be kept must not stand still for ever on a full pipe.
      onError(error)
      process.kill()
      process.output.resume()
      await process.ended
      return failed(`Killed: its output could not be kept. ${storageFailure(error)?.message ?? ''}`.trim())
    }
    return this.#endOf(await process.ended)
  }

  #endOf(end: GuardedEnd): TaskEnd {
    const { timeLimitMs, process } = this.#options
    if (end.by === 'exit')
      return { status: end.code === 0 ? 'completed' : 'failed', exit_code: end.code, failure: null }
    if (end.by === 'killed' && this.#wasStopped) return { status: 'stopped', exit_code: null, failure: null }
    if (end.by === 'killed') return failed(STOPPED_BY_SHUTDOWN)
    return failed(explain(end, { timeLimitMs, isReadOnly: process.isReadOnly }))
  }
}

export function failed(failure: string | null): TaskEnd {
  return { status: 'failed', exit_code: null, failure }
}
