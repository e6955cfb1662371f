import type { Timers } from '../store/timers.ts'

/** A folder is read once it has looked the same for this long: editors save in steps, and git writes file by file. */
const STILL_MS = 150
/** What was last changed before that is not being written when the server starts. */
const OLD_MS = 2_000

/** Tells whether somebody is still at work on a folder. */
export class Stillness {
  readonly #timers: Pick<Timers, 'elapsed'>
  readonly #seen = new Map<string, { stamp: string; since: number }>()

  constructor(timers: Pick<Timers, 'elapsed'>) {
    this.#timers = timers
  }

  /** `changedAt`: when it was changed, by the clock of the file system; `undefined`: nobody knows. */
  isStill(name: string, stamp: string, changedAt: number | undefined): boolean {
    const before = this.#seen.get(name)
    const now = this.#timers.elapsed()
    if (before?.stamp === stamp) return now - before.since >= STILL_MS
    this.#seen.set(name, { stamp, since: now })
    return before === undefined && changedAt !== undefined && Date.now() - changedAt > OLD_MS
  }
}
