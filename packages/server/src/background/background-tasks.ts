import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { AgentError } from '@parley/protocol'
import type { Clock, Ids } from '../ports.ts'
import { type Guarded, type GuardedEnd, startGuarded } from '../sandbox/run-guarded.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { Engine } from '../store/engine.ts'
import type { InstanceWatch } from '../store/instances.ts'
import type { Journal } from '../store/journal.ts'
import { storageFailure } from '../store/storage-failure.ts'
import { runSql } from '../store/work.ts'
import { keepOutput, readTail } from './background-output.ts'
import {
  endTask,
  findLost,
  findTask,
  insertTask,
  type TaskRecord,
  type TaskEnd,
  type TaskRow,
  toTask,
} from './background-rows.ts'
import { explain } from '../sandbox/explain-end.ts'

export type BackgroundTasksOptions = {
  engine: Engine
  journal: Journal
  clock: Clock
  ids: Ids
  sandbox: Sandbox
  /** Names this server process among all that share the database; its signs of life are `startInstance`'s. */
  instance: string
  /** Tells which of the others are gone. */
  instances: InstanceWatch
  leaseMs: number
  /** After this long a task is killed. Default six hours. */
  timeLimitMs?: number
  /** Where outputs are kept; out of every command's sight. */
  directory: string
  onError: (error: unknown) => void
}

export type TaskOutput = TaskRecord & { output: string; truncated: boolean }

/** Commands of one session that may run at the same time. */
const MAX_RUNNING = 16
const TIME_LIMIT_MS = 6 * 3_600_000
/** How often this instance looks whether somebody asked for one of its tasks to stop. */
const LOOK_MS = 500
/** How long a stop may take before its caller is told that it is still under way. */
const STOP_MS = 5_000
/** How soon the end of a task is recorded again that the store did not take. */
const RECORD_AGAIN_MS = 1_000
const STOPPED_BY_SHUTDOWN = 'stopped with its server'
const LOST = 'lost with its server'

/**
 * Commands that go on after the call that started them. Each belongs to the instance it runs under; while one runs the
 * instance gives a sign of life in the database, and when that stops, any other records the task as lost.
 *
 *   running ─▶ completed | failed | stopped      recorded once, whoever is first, with `bg:ended`
 */
export class BackgroundTasks implements AsyncDisposable {
  readonly #options: BackgroundTasksOptions
  readonly #own = new Map<string, OwnTask>()
  readonly #closing = new AbortController()
  #isLooking = false

  constructor(options: BackgroundTasksOptions) {
    this.#options = options
    const { leaseMs, engine, instances, onError } = options
    const timers = [setInterval(() => void this.#look().catch(onError), Math.min(LOOK_MS, leaseMs / 3))]
    // On SQLite there is nobody else: what others left behind is swept once, at the start.
    if (engine.kind !== 'sqlite') {
      timers.push(setInterval(() => void this.sweep().catch(onError), leaseMs / 2))
      instances.onGone(() => void this.sweep().catch(onError))
    }
    for (const timer of timers) timer.unref()
    this.#closing.signal.addEventListener('abort', () => timers.forEach((timer) => clearInterval(timer)))
  }

  /** Records the task, tells the session, and starts it. Throws when the session has too many, or the server is closing. */
  async start(given: {
    session_id: string
    workspace: string
    env: Readonly<Record<string, string>>
    command: string
  }): Promise<TaskRecord> {
    const { session_id, workspace, env, command } = given
    const { engine, journal, clock, ids, sandbox, instance, leaseMs, timeLimitMs = TIME_LIMIT_MS } = this.#options
    if (this.#closing.signal.aborted) throw new Error('The server is stopping; no new background task is started.')
    const running = [...this.#own.values()].filter((task) => task.session_id === session_id)
    if (running.length >= MAX_RUNNING)
      throw new Error(`${MAX_RUNNING} background tasks are running in this session; stop one of them first.`)
    const row: TaskRow = {
      task_id: ids.next('bg'),
      session_id,
      instance,
      command,
      status: 'running',
      exit_code: null,
      failure: null,
      stop_requested: 0,
      started_at: new Date(clock.now()).toISOString(),
      finished_at: null,
    }
    const { task_id } = row
    await engine.write(() => insertTask(row, journal), { confirm: () => findTask(task_id) })
    const guarded = { sandbox, workspace, command, env, leaseMs, timeLimitMs }
    const process = await startGuarded(guarded).catch(async (error: Error) => {
      await this.#record(task_id, { status: 'failed', exit_code: null, failure: error.message })
      throw error
    })
    const task: OwnTask = { session_id, process, timeLimitMs, wasStopped: false, isOver: Promise.resolve() }
    this.#own.set(task_id, task)
    task.isOver = this.#follow(task_id, task)
    // Closed while the row was written: nobody else would end it.
    if (this.#closing.signal.aborted) process.kill()
    return toTask(row)
  }

  /** The session's tasks, oldest first. */
  async list(session_id: string): Promise<TaskRecord[]> {
    const rows = await this.#options.engine.select<TaskRow>(
      'SELECT * FROM background_tasks WHERE session_id = ? ORDER BY started_at, task_id',
      [session_id],
    )
    return rows.map(toTask)
  }

  /** The task with the last `tail` lines of what it printed. A task of another session is `not_found`. */
  async read(session_id: string, task_id: string, tail: number): Promise<TaskOutput> {
    const row = await this.#demand(session_id, task_id)
    return { ...toTask(row), ...(await readTail(this.#pathOf(row), tail)) }
  }

  /** Kills it, on whatever instance it runs, and resolves with how it ended; at once when it has ended already. */
  async stop(session_id: string, task_id: string): Promise<TaskRecord> {
    const row = await this.#demand(session_id, task_id)
    if (row.status !== 'running') return toTask(row)
    const own = this.#own.get(task_id)
    if (own) {
      stopTask(own)
      await own.isOver
    } else {
      await this.#options.engine.write(() =>
        runSql('UPDATE background_tasks SET stop_requested = 1 WHERE task_id = ?', [task_id]),
      )
      await this.#ended(task_id)
    }
    return toTask(await this.#demand(session_id, task_id))
  }

  /** The session is being deleted: its tasks are killed, and nothing of them stays. */
  async dropSession(session_id: string): Promise<void> {
    const { engine, directory } = this.#options
    const own = [...this.#own.values()].filter((task) => task.session_id === session_id)
    own.forEach(stopTask)
    await Promise.all(own.map((task) => task.isOver))
    // Other instances kill a task whose row is gone.
    await engine.write(() => runSql('DELETE FROM background_tasks WHERE session_id = ?', [session_id]))
    await rm(join(directory, session_id), { recursive: true, force: true })
  }

  /** Records tasks whose instance is gone. Call it once before serving; where there are several instances it repeats. */
  async sweep(): Promise<void> {
    const { engine, instance, instances } = this.#options
    const lost = await engine.read(() => findLost(instance, engine.kind === 'sqlite' ? 'all others' : instances.gone))
    for (const { task_id } of lost) await this.#record(task_id, { status: 'failed', exit_code: null, failure: LOST })
  }

  /** Kills what runs and records it. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort()
    for (const task of this.#own.values()) task.process.kill()
    await Promise.all([...this.#own.values()].map((task) => task.isOver))
  }

  async #follow(task_id: string, task: OwnTask): Promise<void> {
    const { onError } = this.#options
    try {
      await keepOutput(task.process.output, this.#pathOf({ task_id, session_id: task.session_id }))
    } catch (error) {
      // A command whose output cannot be kept must not stand still for ever on a full pipe.
      onError(error)
      task.failure = `Killed: its output could not be kept. ${storageFailure(error)?.message ?? ''}`.trim()
      task.process.kill()
      task.process.output.resume()
    }
    await this.#recordAtLast(task_id, this.#endOf(await task.process.ended, task))
    this.#own.delete(task_id)
  }

  /** Tries for as long as the store refuses. What a closing server could not record is swept by the next one. */
  async #recordAtLast(task_id: string, end: TaskEnd): Promise<void> {
    for (;;) {
      try {
        return await this.#record(task_id, end)
      } catch (error) {
        this.#options.onError(error)
        if (!storageFailure(error) || this.#closing.signal.aborted) return
      }
      await delay(RECORD_AGAIN_MS, undefined, { signal: this.#closing.signal }).catch(() => undefined)
    }
  }

  #endOf(end: GuardedEnd, { wasStopped, failure, timeLimitMs, process }: OwnTask): TaskEnd {
    if (failure !== undefined) return { status: 'failed', exit_code: null, failure }
    if (end.by === 'exit') {
      return { status: end.code === 0 ? 'completed' : 'failed', exit_code: end.code, failure: null }
    }
    if (end.by === 'killed' && wasStopped) return { status: 'stopped', exit_code: null, failure: null }
    if (end.by === 'killed') return { status: 'failed', exit_code: null, failure: STOPPED_BY_SHUTDOWN }
    return { status: 'failed', exit_code: null, failure: explain(end, { timeLimitMs, isReadOnly: process.isReadOnly }) }
  }

  async #record(task_id: string, end: TaskEnd): Promise<void> {
    const { engine, journal, clock } = this.#options
    const at = new Date(clock.now()).toISOString()
    await engine.write(() => endTask(task_id, end, at, journal), {
      confirm: function* () {
        const row = yield* findTask(task_id)
        return row?.status === 'running' ? undefined : row
      },
    })
  }

  /** Stops that were asked for elsewhere. */
  async #look(): Promise<void> {
    if (this.#isLooking || this.#own.size === 0) return
    this.#isLooking = true
    try {
      const { engine, instance } = this.#options
      const asked = new Set(this.#own.keys())
      const rows = await engine.select<{ task_id: string }>(
        `SELECT task_id FROM background_tasks WHERE instance = ? AND status = 'running' AND stop_requested = 0`,
        [instance],
      )
      const wanted = new Set(rows.map(({ task_id }) => task_id))
      // Asked to stop, recorded as lost by somebody, or deleted with its session: in no case may it go on.
      for (const task_id of asked) if (!wanted.has(task_id)) stopTask(this.#own.get(task_id))
    } finally {
      this.#isLooking = false
    }
  }

  async #ended(task_id: string): Promise<void> {
    const { engine } = this.#options
    for (let waited = 0; waited < STOP_MS; waited += 100) {
      const row = await engine.read(() => findTask(task_id))
      if (row?.status !== 'running') return
      await delay(100)
    }
  }

  async #demand(session_id: string, task_id: string): Promise<TaskRow> {
    const row = await this.#options.engine.read(() => findTask(task_id))
    if (row?.session_id === session_id) return row
    throw new AgentError('not_found', `There is no background task ${task_id} in this session.`)
  }

  #pathOf({ session_id, task_id }: { session_id: string; task_id: string }): string {
    return join(this.#options.directory, session_id, `${task_id}.log`)
  }
}

type OwnTask = {
  session_id: string
  process: Guarded
  timeLimitMs: number
  wasStopped: boolean
  /** Why it was killed, when nobody asked for that. */
  failure?: string
  isOver: Promise<void>
}

function stopTask(task: OwnTask | undefined): void {
  if (!task) return
  task.wasStopped = true
  task.process.kill()
}
