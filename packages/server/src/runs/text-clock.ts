import { AsyncLocalStorage } from 'node:async_hooks'
import type { TextPace } from '../ports.ts'
import type { Timers } from '../store/timers.ts'

/** While text flows, what has gathered of an answer is stored and shown this often, at least and at most. */
const QUIET_MS = 25
const BUSY_MS = 100
/** So many answers share a commit: the first ones are shown while the last ones are written. */
const ANSWERS_AT_ONCE = 32

/**
 * How long text gathers: the busier the server, the longer, so that a row, a frame and a wake-up carry more of it.
 *
 *   answers under way    1    50   100   200   375 and more
 *   milliseconds        25    35    45    65   100
 *
 * A moment that came late, because the process had other things to do, makes the next wait longer by as much.
 */
export function gatherMs({ answers, lateMs }: { answers: number; lateMs: number }): number {
  return Math.min(BUSY_MS, QUIET_MS + answers / 5 + lateMs)
}

/** The pace of all answers of this process: one timer, and at its moments their texts share commits. */
export class TextClock implements TextPace {
  readonly #timers: Timers
  /** A moment is everybody's: it is no callback of the run that asked for it first. */
  readonly #outside = AsyncLocalStorage.snapshot()
  #waiting: (() => void)[] = []
  #gatherMs = QUIET_MS
  #last = -Infinity
  #dueAt = 0

  constructor(timers: Timers) {
    this.#timers = timers
  }

  next(goOn: () => void): void {
    this.#waiting.push(goOn)
    if (this.#waiting.length > 1) return
    const now = this.#timers.elapsed()
    this.#dueAt = Math.max(now, this.#last + this.#gatherMs)
    this.#outside(() => this.#schedule(this.#dueAt - now))
  }

  #schedule(ms: number): void {
    // After a silence at once, but with all that the provider has just sent.
    if (ms === 0) this.#timers.soon(() => this.#pass())
    else this.#timers.after(ms, () => this.#pass())
  }

  #letGo(waiting: readonly (() => void)[], from: number): void {
    for (const goOn of waiting.slice(from, from + ANSWERS_AT_ONCE)) goOn()
    const next = from + ANSWERS_AT_ONCE
    // One turn of the event loop commits these, the one after it is for the others.
    if (next < waiting.length) this.#timers.soon(() => this.#timers.soon(() => this.#letGo(waiting, next)))
  }

  #pass(): void {
    const waiting = this.#waiting
    this.#waiting = []
    this.#last = this.#timers.elapsed()
    this.#gatherMs = gatherMs({ answers: waiting.length, lateMs: this.#last - this.#dueAt })
    this.#letGo(waiting, 0)
  }
}
