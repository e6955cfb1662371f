import { AgentError } from '@parley/protocol'
import { say } from '../words/phrases.ts'

/** How often feedback in a session may be given, changed and taken back: each is an event, which is kept for ever. */
export const FEEDBACK_PER_MINUTE = 60
const MINUTE_MS = 60_000
const SESSIONS = 10_000

/** Counts by session, here alone. Memory is bounded: beyond it the oldest are forgotten. */
export class FeedbackLimit {
  readonly #now: () => number
  readonly #windows = new Map<string, { from: number; count: number }>()

  /** `now`: a clock that cannot be set, in milliseconds. */
  constructor(now: () => number) {
    this.#now = now
  }

  get size(): number {
    return this.#windows.size
  }

  /** Counts one more; `rate_limited` when there were too many. */
  demandRoom(session_id: string): void {
    const now = this.#now()
    const window = this.#windows.get(session_id)
    if (window && now - window.from < MINUTE_MS) {
      if (window.count >= FEEDBACK_PER_MINUTE) throw tooOften(window.from + MINUTE_MS - now)
      window.count += 1
      return
    }
    this.#windows.delete(session_id)
    this.#windows.set(session_id, { from: now, count: 1 })
    if (this.#windows.size > SESSIONS) this.#windows.delete(this.#windows.keys().next().value!)
  }
}

function tooOften(waitMs: number): AgentError {
  const seconds = Math.ceil(waitMs / 1_000)
  const words = say('refused.feedbackOften', 'en', { count: FEEDBACK_PER_MINUTE, seconds })
  return new AgentError('rate_limited', words, { details: { retry_after: seconds } })
}
