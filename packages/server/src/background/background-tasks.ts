import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { AgentError } from '@parley/protocol'
import { z } from 'zod'
import type { Ids } from '../ports.ts'
import { startGuarded } from '../sandbox/run-guarded.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { readTail } from './background-output.ts'
import {
  deleteTasks,
  findTask,
  insertBackgroundTask,
  newTask,
  requestStop,
  type TaskRecord,
  taskRecordSchema,
  type TaskRow,
  tasksOf,
  toTask,
  wantedTasks,
} from './background-rows.ts'
import { failed, OwnTask } from './own-task.ts'
import { TaskEnds, type TaskEndsOptions } from './task-ends.ts'

export type BackgroundTasksOptions = TaskEndsOptions & {
  ids: Ids
  sandbox: Sandbox
  leaseMs: number
  /** After this long a task is killed. Default six hours. */
  timeLimitMs?: number
  /** Where outputs are kept; out of every command's sight. */
  directory: string
}

export type NewTask = {
  session_id: string
  workspace: string
  env: Readonly<Record<string, string>>
  command: string
}

export const taskOutputSchema = z.object({ ...taskRecordSchema.shape, output: z.string(), truncated: z.boolean() })
export type TaskOutput = z.infer<typeof taskOutputSchema>

/** Commands of one session that may run at the same time. */
const MAX_RUNNING = 16
const TIME_LIMIT_MS = 6 * 3_600_000
/** How often this instance looks whether somebody asked for one of its tasks to stop. */
const LOOK_MS = 500
/** How long a stop may take before its caller is told that it is still under way. */
const STOP_MS = 5_000

/**
 * Commands that go on after the call that started them. Each belongs to the instance it runs under; while one runs the
 * instance gives a sign of life in the database, and when that stops, any other records the task as lost.
 *
 *   running ─▶ completed | failed | stopped      recorded once, whoever is first, with `bg:ended`
 */
export class BackgroundTasks implements AsyncDisposable {
  readonly #options: BackgroundTasksOptions
  readonly #own = new Map<string, OwnTask>()
  readonly #ends: TaskEnds
  readonly #closing = new AbortController()
  #isLooking = false

  constructor(options: BackgroundTasksOptions) {
    this.#options = options
    this.#ends = new TaskEnds(options)
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
  async start({ session_id, workspace, env, command }: NewTask): Promise<TaskRecord> {
    const { engine, journal, clock, ids, sandbox, instance, leaseMs } = this.#options
    const { timeLimitMs = TIME_LIMIT_MS, onError } = this.#options
    if (this.#closing.signal.aborted) throw new Error('The server is stopping; no new background task is started.')
    if (this.#ownOf(session_id).length >= MAX_RUNNING)
      throw new Error(`${MAX_RUNNING} background tasks are running in this session; stop one of them first.`)
    const task_id = ids.next('bg')
    const started_at = new Date(clock.now()).toISOString()
    const row = newTask({ task_id, session_id, instance, command, started_at })
    await engine.write(() => insertBackgroundTask(row, journal), { confirm: () => findTask(task_id) })
    const guarded = { sandbox, workspace, command, env, leaseMs, timeLimitMs }
    const process = await startGuarded(guarded).catch(async (error: Error) => {
      await this.#ends.record(task_id, failed(error.message))
      throw error
    })
    const task = new OwnTask({ session_id, process, timeLimitMs, path: this.#pathOf(row), onError })
    this.#own.set(task_id, task)
    task.isOver = this.#follow(task_id, task)
    // Closed while the row was written: nobody else would end it.
    if (this.#closing.signal.aborted) task.kill()
    return toTask(row)
  }

  /** The session's tasks, oldest first. */
  async list(session_id: string): Promise<TaskRecord[]> {
    return (await this.#options.engine.read(() => tasksOf(session_id))).map(toTask)
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
      own.stop()
      await own.isOver
    } else {
      await this.#options.engine.write(() => requestStop(task_id))
      await this.#ended(task_id)
    }
    return toTask(await this.#demand(session_id, task_id))
  }

  /** The session is being deleted: its tasks are killed, and nothing of them stays. */
  async dropSession(session_id: string): Promise<void> {
    const { engine, directory } = this.#options
    const own = this.#ownOf(session_id)
    own.forEach((task) => task.stop())
    await Promise.all(own.map((task) => task.isOver))
    // Other instances kill a task whose row is gone.
    await engine.write(() => deleteTasks(session_id))
    await rm(join(directory, session_id), { recursive: true, force: true })
  }

  /** Records tasks whose instance is gone. Call it once before serving; where there are several instances it repeats. */
  async sweep(): Promise<void> {
    await this.#ends.sweep()
  }

  /** Kills what runs and records it. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort()
    for (const task of this.#own.values()) task.kill()
    await Promise.all([...this.#own.values()].map((task) => task.isOver))
  }

  async #follow(task_id: string, task: OwnTask): Promise<void> {
    await this.#ends.recordAtLast(task_id, await task.follow(), this.#closing.signal)
    this.#own.delete(task_id)
  }

  /** Stops that were asked for elsewhere. */
  async #look(): Promise<void> {
    if (this.#isLooking || this.#own.size === 0) return
    this.#isLooking = true
    try {
      const { engine, instance } = this.#options
      const asked = new Set(this.#own.keys())
      const wanted = new Set(await engine.read(() => wantedTasks(instance)))
      // Asked to stop, recorded as lost by somebody, or deleted with its session: in no case may it go on.
      for (const task_id of asked) if (!wanted.has(task_id)) this.#own.get(task_id)?.stop()
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

  #ownOf(session_id: string): OwnTask[] {
    return [...this.#own.values()].filter((task) => task.session_id === session_id)
  }

  #pathOf({ session_id, task_id }: { session_id: string; task_id: string }): string {
    return join(this.#options.directory, session_id, `${task_id}.log`)
  }
}
