/** A page on this machine may come from any port: more origins than these push the oldest out. */
const MOST = 200

/** When pages of other origins first used this server since it started, in memory. */
export class PageVisits {
  readonly #firsts = new Map<string, string>()
  readonly #now: () => string

  constructor(now: () => string) {
    this.#now = now
  }

  saw(origin: string): void {
    if (this.#firsts.has(origin)) return
    const [oldest] = this.#firsts.keys()
    if (oldest !== undefined && this.#firsts.size >= MOST) this.#firsts.delete(oldest)
    this.#firsts.set(origin, this.#now())
  }

  firstOf(origin: string): string | null {
    return this.#firsts.get(origin) ?? null
  }
}
