/** How often clients are told, per session (wire-protocol 6.7). */
const PER_SECOND = 10
const SECOND = 1_000

export type ChangeLimitOptions = {
  /** A clock that cannot be set, in milliseconds. */
  now: () => number
  /** Tells the session's clients that much has changed and they should list again; may come up to a second late. */
  many: (session_id: string) => void
}

type Window = { since: number; told: number; timer?: NodeJS.Timeout }

/**
 * Says which files changed, at most ten times a second per session; what comes beyond that becomes one "many" when the
 * second is over, so that nobody who lists then misses anything.
 */
export class ChangeLimit implements Disposable {
  readonly #options: ChangeLimitOptions
  readonly #windows = new Map<string, Window>()

  constructor(options: ChangeLimitOptions) {
    this.#options = options
  }

  /** Calls `tell` at once, or `many` later. */
  report(session_id: string, tell: () => void): void {
    const now = this.#options.now()
    const window = this.#window(session_id, now)
    if (window.told < PER_SECOND) {
      window.told++
      tell()
      return
    }
    window.timer ??= setTimeout(() => this.#tellMany(session_id), window.since + SECOND - now).unref()
  }

  [Symbol.dispose](): void {
    for (const { timer } of this.#windows.values()) clearTimeout(timer)
    this.#windows.clear()
  }

  #window(session_id: string, now: number): Window {
    const open = this.#windows.get(session_id)
    if (open && (open.timer !== undefined || now < open.since + SECOND)) return open
    this.#forgetPast(now)
    const window: Window = { since: now, told: 0 }
    this.#windows.set(session_id, window)
    return window
  }

  #tellMany(session_id: string): void {
    this.#windows.set(session_id, { since: this.#options.now(), told: 1 })
    this.#options.many(session_id)
  }

  #forgetPast(now: number): void {
    for (const [session_id, { since, timer }] of this.#windows)
      if (timer === undefined && now - since >= SECOND) this.#windows.delete(session_id)
  }
}
