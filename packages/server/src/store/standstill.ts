/**
 * How long rows have stood still, by this process's own monotonic clock. Every other clock, the database's among them, may
 * be set at any time; a row whose owner lives changes whatever they show.
 */
export class Standstill {
  readonly #monotonicNow: () => number
  #seen = new Map<string, { mark: string; since: number }>()

  constructor(monotonicNow: () => number) {
    this.#monotonicNow = monotonicNow
  }

  /**
   * Takes all rows as a question sent at `askedAt` found them, and says for how many milliseconds each has looked the
   * same. That is counted from after the answer that showed it first to before the question that showed it last: never
   * too long, however slow the database is.
   */
  look(rows: readonly { key: string; mark: string }[], askedAt: number): Map<string, number> {
    const now = this.#monotonicNow()
    const before = this.#seen
    this.#seen = new Map(
      rows.map(({ key, mark }) => {
        const known = before.get(key)
        return [key, known?.mark === mark ? known : { mark, since: now }]
      }),
    )
    return new Map([...this.#seen].map(([key, { since }]) => [key, Math.max(0, askedAt - since)]))
  }
}

/**
 * How often to look at rows that others renew. A lease may have changed just after a look, and be due just after another;
 * where it matters who else is alive, a third look tells. Together they take less than the second that a take-over may
 * be later than the lease.
 */
export function lookEveryMs(leaseMs: number): number {
  return Math.min(300, leaseMs / 4)
}
