import type { Branch, TurnProjection } from '@parley/protocol'
import type { Rest } from '../rest/rest.ts'

type Page = { before?: number; after?: number; limit?: number }

/** The stored turns of a session, as far back as somebody wanted to look. */
export class SessionHistory {
  /** How many turns to read at first, so that a long session opens fast. Who does not want it may still need all of it. */
  #wanted: 'none' | 'all' | number = 'none'
  /** All turns from this `sequence` on were read. */
  #first: number | null = null
  /** Counts how often the newest turns were read. */
  #readings = 0
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

  /** Whether this branch has turns that were not read. */
  hasOlderOn(branch: Branch | null): boolean {
    return (this.#first ?? 0) > (branch?.path[0]?.from ?? 0)
  }

  /** From the oldest turn that is known to the newest. */
  async load(signal: AbortSignal): Promise<TurnProjection[]> {
    this.#readings += 1
    const limit = this.#wanted
    if (typeof limit !== 'number') {
      const all = await this.#fetch({}, signal)
      this.#first = 0
      return all
    }
    const first = this.#first
    const again = first === null ? [] : await this.#fetch({ after: first - 1 }, signal)
    if (again.length > 0) {
      this.#first = first
      return again
    }
    // Also when the conversation went back to before everything that was read.
    const last = await this.#fetch({ limit }, signal)
    this.#first = startOf(last, limit)
    return last
  }

  /** `count` more turns before those. */
  async loadOlder(count: number, signal: AbortSignal | undefined): Promise<TurnProjection[]> {
    const first = this.#first ?? 0
    if (first === 0) return []
    const readings = this.#readings
    const turns = await this.#fetch({ before: first, limit: count }, signal)
    // Meanwhile others were read, perhaps of another branch.
    if (readings !== this.#readings || first !== this.#first) return this.loadOlder(count, signal)
    this.#first = startOf(turns, count)
    return turns
  }

  #fetch(query: Page, signal: AbortSignal | undefined): Promise<TurnProjection[]> {
    return this.#rest.get(this.#path, { query, ...(signal && { signal }) })
  }
}

/** A page that is not full is the first one. */
function startOf(turns: readonly TurnProjection[], limit: number): number {
  return turns.length < limit ? 0 : (turns[0]?.sequence ?? 0)
}
