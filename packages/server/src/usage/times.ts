/** Steps of the scale for each factor of e: a time is told to within half a hundredth of itself. */
const STEPS = 100

/** How long things took, counted on a scale of equal factors: however many there are, they need the same room. */
export class Times {
  readonly #counts = new Map<number, number>()

  add(ms: number): void {
    const step = Math.round(Math.log1p(Math.max(0, ms)) * STEPS)
    this.#counts.set(step, (this.#counts.get(step) ?? 0) + 1)
  }

  /** With commas between. */
  addAll(list: string | null): void {
    for (const ms of list?.split(',') ?? []) this.add(Number(ms))
  }

  take(other: Times): void {
    for (const [step, count] of other.#counts) this.#counts.set(step, (this.#counts.get(step) ?? 0) + count)
  }

  /** The times that half of them, and 95 of 100, do not exceed; `null` without any. */
  percentiles(): { p50: number; p95: number } | null {
    if (this.#counts.size === 0) return null
    const sorted = [...this.#counts].sort(([a], [b]) => a - b)
    const total = sorted.reduce((sum, [, count]) => sum + count, 0)
    const at = (share: number) => {
      let left = Math.ceil(total * share)
      const [step] = sorted.find(([, count]) => (left -= count) <= 0)!
      return Math.round(Math.expm1(step / STEPS))
    }
    return { p50: at(0.5), p95: at(0.95) }
  }
}
