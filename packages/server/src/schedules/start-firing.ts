import { dueTasks } from './schedule-rows.ts'
import { fire, type FireOptions } from './fire.ts'
import { endSlots } from './slot-ends.ts'

/** How late a run begins at most, on a server that has nothing else to do. */
const LOOK_MS = 1_000
/** So many begin at a look: the others a moment later, or on another instance. */
const PER_LOOK = 25

export type FiringOptions = FireOptions & { onError: (error: unknown) => void }

/** Begins what is due, now and as long as it is not disposed. Every instance does; each slot gets its fate once. */
export function startFiring(options: FiringOptions): AsyncDisposable {
  const { engine, onError } = options
  let isStopping = false
  let looking: Promise<void> | undefined

  async function look(): Promise<void> {
    try {
      await endSlots(options)
      for (const task of await dueTasks(engine, PER_LOOK)) {
        if (isStopping) return
        // One that cannot be begun must not keep the others waiting.
        await fire(task, options).catch(onError)
      }
    } catch (error) {
      onError(error)
    }
  }
  const tick = () => {
    looking ??= look().finally(() => {
      looking = undefined
    })
  }
  tick()
  const timer = engine.timers.every(LOOK_MS, tick)
  return {
    async [Symbol.asyncDispose]() {
      isStopping = true
      timer[Symbol.dispose]()
      await looking
    },
  }
}
