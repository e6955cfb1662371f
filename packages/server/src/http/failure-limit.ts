export type FailureLimitOptions = {
  /** A clock that cannot be set, in milliseconds: whoever waits must not wait an hour longer because it was. */
  now: () => number
  /** Failures an address may have within a window. Default 20. */
  failures?: number
  /** Default one minute. */
  windowMs?: number
}

const ADDRESSES = 10_000

/** Counts failed sign-ins per address. Memory is bounded: beyond it the oldest addresses are forgotten. */
export class FailureLimit {
  readonly #now: () => number
  readonly #failures: number
  readonly #windowMs: number
  readonly #windows = new Map<string, { from: number; count: number }>()

  constructor({ now, failures = 20, windowMs = 60_000 }: FailureLimitOptions) {
    this.#now = now
    this.#failures = failures
    this.#windowMs = windowMs
  }

  /** Milliseconds until the address may try again; 0 when it may now. */
  waitOf(address: string): number {
    const window = this.#windows.get(networkOf(address))
    if (!window || window.count < this.#failures) return 0
    return Math.max(0, window.from + this.#windowMs - this.#now())
  }

  failed(address: string): void {
    const network = networkOf(address)
    const known = this.#windows.get(network)
    const isOver = !known || this.#now() - known.from >= this.#windowMs
    if (isOver) this.#windows.delete(network)
    this.#windows.set(network, isOver ? { from: this.#now(), count: 1 } : { from: known.from, count: known.count + 1 })
    if (this.#windows.size > ADDRESSES) this.#windows.delete(this.#windows.keys().next().value!)
  }
}

/** One person has a whole /64 of IPv6 addresses. */
function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:/, '')
  return plain.includes(':') ? plain.split(':').slice(0, 4).join(':') : plain
}
