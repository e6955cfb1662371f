import { setTimeout as delay } from 'node:timers/promises'

/**
 * By what everything waits, repeats and measures that stands on a database: its ticks, retries and polls, and the leases,
 * sweeps and looks of whoever uses it. Whoever opens the engine may give others, so that one scheduler moves all of it.
 */
export interface Timers {
  /** Milliseconds since some moment, by a clock that nobody can set. */
  elapsed(): number
  sleep(ms: number): Promise<void>
  /** With the next turn of the event loop. */
  soon(work: () => void): void
  after(ms: number, work: () => void): Disposable
  /** Until disposed; keeps no process alive. */
  every(ms: number, work: () => void): Disposable
}

export const systemTimers: Timers = {
  elapsed: () => performance.now(),
  sleep: (ms) => delay(ms),
  soon: (work) => void setImmediate(work),
  after(ms, work) {
    const timer = setTimeout(work, ms)
    return { [Symbol.dispose]: () => clearTimeout(timer) }
  },
  every(ms, work) {
    const timer = setInterval(work, ms)
    timer.unref()
    return { [Symbol.dispose]: () => clearInterval(timer) }
  },
}
