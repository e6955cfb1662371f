import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from '../ports.ts'
import type { Engine } from '../store/engine.ts'
import type { InstanceWatch } from '../store/instances.ts'
import type { Journal } from '../store/journal.ts'
import { storageFailure } from '../store/storage-failure.ts'
import { endTask, findLost, findTask, type TaskEnd } from './background-rows.ts'
import { failed } from './own-task.ts'

export type TaskEndsOptions = {
  engine: Engine
  journal: Journal
  clock: Clock
  /** Names this server process among all that share the database; its signs of life are `startInstance`'s. */
  instance: string
  /** Tells which of the others are gone. */
  instances: InstanceWatch
  onError: (error: unknown) => void
}

/** How soon the end of a task is recorded again that the store did not take. */
const RECORD_AGAIN_MS = 1_000
const LOST = 'lost with its server'

/** How tasks ended, recorded once each: those of this instance, and those of instances that are gone. */
export class TaskEnds {
  readonly #options: TaskEndsOptions

  constructor(options: TaskEndsOptions) {
    this.#options = options
  }

  async record(task_id: string, end: TaskEnd): Promise<void> {
    const { engine, journal, clock } = this.#options
    const finished_at = new Date(clock.now()).toISOString()
    await engine.write(() => endTask(task_id, { ...end, finished_at }, journal), {
      confirm: function* () {
        const row = yield* findTask(task_id)
        return row?.status === 'running' ? undefined : row
      },
    })
  }

  /** Tries for as long as the store refuses. What a closing server could not record is swept by the next one. */
  async recordAtLast(task_id: string, end: TaskEnd, closing: AbortSignal): Promise<void> {
    for (;;) {
      try {
        return await this.record(task_id, end)
      } catch (error) {
        this.#options.onError(error)
        if (!storageFailure(error) || closing.aborted) return
      }
      await delay(RECORD_AGAIN_MS, undefined, { signal: closing }).catch(() => undefined)
    }
  }

  /** Records tasks whose instance is gone. */
  async sweep(): Promise<void> {
    const { engine, instance, instances } = this.#options
    const lost = await engine.read(() => findLost(instance, engine.kind === 'sqlite' ? 'all others' : instances.gone))
    for (const { task_id } of lost) await this.record(task_id, failed(LOST))
  }
}
