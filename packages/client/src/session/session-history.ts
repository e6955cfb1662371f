import type { TurnProjection } from '@parley/protocol'
import type { Rest } from '../rest/rest.ts'

/** The stored turns of a session, as far back as somebody wanted to look. */
export class SessionHistory {
  /** How many turns to read at first, so that a long session opens fast. Who does not want it may still need all of it. */
  #wanted: 'none' | 'all' | number = 'none'
  /** `sequence` of the oldest turn that was read. */
  #first: number | null = null
  readonly #path: string
  readonly #rest: Rest

  constructor(sessionId: string, rest: Rest) {
    this.#path = `/api/sessions/${encodeURIComponent(sessionId)}/messages`
    this.#rest = rest
  }

  get isWanted(): boolean {
    return this.#wanted !== 'none'
  }

  /** Somebody wants `limit` turns; null: all. True when that is more than was wanted before. */
  want(limit: number | null): boolean {
    const isMore = typeof this.#wanted === 'number' && limit === null
    if (this.#wanted === 'none' || isMore) this.#wanted = limit ?? 'all'
    return isMore
  }

  /** The next reading goes back to the beginning. */
  wantAll(): void {
    if (this.isWanted) this.#wanted = 'all'
  }

  get hasOlder(): boolean {
    return (this.#first ?? 0) > 0
  }

  /** From the oldest turn that is known to the newest. */
  async load(signal: AbortSignal): Promise<TurnProjection[]> {
    const turns = await this.#fetch(this.#window(), signal)
    this.#first = turns.at(0)?.sequence ?? 0
    return turns
  }

  /** `count` more turns before those. */
  async loadOlder(count: number, signal: AbortSignal | undefined): Promise<TurnProjection[]> {
    const first = this.#first ?? 0
    if (first === 0) return []
    const start = Math.max(first - count, 0)
    const turns = await this.#fetch({ after: start - 1, limit: first - start }, signal)
    this.#first = start
    return turns.filter(({ sequence }) => sequence < first)
  }

  #window(): { after?: number; limit?: number } {
    if (typeof this.#wanted !== 'number') return {}
    return this.#first === null ? { limit: this.#wanted } : { after: this.#first - 1 }
  }

  #fetch(query: { after?: number; limit?: number }, signal: AbortSignal | undefined): Promise<TurnProjection[]> {
    return this.#rest.get(this.#path, { query, ...(signal && { signal }) })
  }
}
