import ipaddr from 'ipaddr.js'

export type FailureLimitOptions = {
  /** A clock that cannot be set, in milliseconds: whoever waits must not wait an hour longer because it was. */
  now: () => number
  /** Failures an address may have within a window. Default 20. */
  failures?: number
  /** Default one minute. */
  windowMs?: number
}

/** What was tried; each is counted by itself, so that failures of one kind never stand in the way of another. */
export type Tried = 'short key' | 'key' | 'code' | 'call back' | `call back ${string}`

const WINDOWS = 10_000

/** Counts failed sign-ins by address and kind. Memory is bounded: beyond it the oldest are forgotten. */
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
  waitOf(address: string, tried: Tried): number {
    const window = this.#windows.get(nameOf(address, tried))
    if (!window || window.count < this.#failures) return 0
    return Math.max(0, window.from + this.#windowMs - this.#now())
  }

  failed(address: string, tried: Tried): void {
    const name = nameOf(address, tried)
    const known = this.#windows.get(name)
    const isOver = !known || this.#now() - known.from >= this.#windowMs
    if (isOver) this.#windows.delete(name)
    this.#windows.set(name, isOver ? { from: this.#now(), count: 1 } : { from: known.from, count: known.count + 1 })
    if (this.#windows.size > WINDOWS) this.#windows.delete(this.#windows.keys().next().value!)
  }
}

/** One person has a whole /64 of IPv6 addresses. */
function nameOf(address: string, tried: Tried): string {
  const bare = address.replace(/%.*$/, '')
  if (!ipaddr.isValid(bare)) return `${tried} ${address}`
  const bytes = ipaddr.process(bare).toByteArray()
  return `${tried} ${bytes.slice(0, bytes.length === 4 ? 4 : 8).join('.')}`
}
