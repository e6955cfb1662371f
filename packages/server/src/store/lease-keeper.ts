import type { Lease } from './leases.ts'

export type LeaseKeeperOptions = {
  leaseMs: number
  /** A clock that never jumps, in milliseconds. */
  monotonicNow: () => number
  /** Asks the store; resolves with those that are still ours, rejects when the store cannot be reached. */
  renew: (leases: readonly Lease[]) => Promise<readonly Lease[]>
}

/** How long before the lease's end an owner that could not renew stops by itself. */
const SAFETY_MS = 2_000
/** How soon a stale lease is noticed; renewals come too seldom for that. */
const WATCH_MS = 250

/**
 * Keeps this instance's leases alive, all in one renewal every third of the lease, and fences this instance by itself: a
 * lease whose last successful renewal, counted from when it was sent, is too old is lost, whatever the database would
 * say. So a frozen or cut-off owner stops before another one can have started.
 */
export class LeaseKeeper implements Disposable {
  readonly #options: LeaseKeeperOptions
  readonly #held = new Map<string, Held>()
  readonly #timers: NodeJS.Timeout[]

  constructor(options: LeaseKeeperOptions) {
    this.#options = options
    this.#timers = [
      setInterval(() => void this.#renewAll(), options.leaseMs / 3),
      setInterval(() => this.#dropStale(), WATCH_MS),
    ]
    for (const timer of this.#timers) timer.unref()
  }

  /** From a claim that was sent at `sentAt`. The signal aborts when the lease is lost, its reason says how. */
  hold(lease: Lease, sentAt: number): AbortSignal {
    const held: Held = { lease, sentAt, lost: new AbortController() }
    this.#held.set(lease.session_id, held)
    return held.lost.signal
  }

  release(lease: Lease): void {
    if (this.#held.get(lease.session_id)?.lease.epoch === lease.epoch) this.#held.delete(lease.session_id)
  }

  /** Asked right before every side effect. */
  isFresh(lease: Lease): boolean {
    const held = this.#held.get(lease.session_id)
    return held !== undefined && held.lease.epoch === lease.epoch && !this.#isStale(held)
  }

  [Symbol.dispose](): void {
    for (const timer of this.#timers) clearInterval(timer)
  }

  /** Does not wait for the one before: a question that is never answered must not be the last. */
  async #renewAll(): Promise<void> {
    if (this.#held.size === 0) return
    const asked = [...this.#held.values()]
    const sentAt = this.#options.monotonicNow()
    try {
      const kept = await this.#options.renew(asked.map(({ lease }) => lease))
      const epochs = new Map(kept.map(({ session_id, epoch }) => [session_id, epoch]))
      for (const held of asked) {
        if (epochs.get(held.lease.session_id) === held.lease.epoch) held.sentAt = Math.max(held.sentAt, sentAt)
        else this.#lose(held, 'another instance has taken the run over')
      }
    } catch {
      // The store is out of reach: age decides.
    }
  }

  #dropStale(): void {
    for (const held of this.#held.values())
      if (this.#isStale(held)) this.#lose(held, 'the lease could not be renewed in time')
  }

  #isStale({ sentAt }: Held): boolean {
    const { leaseMs, monotonicNow } = this.#options
    return monotonicNow() - sentAt > Math.max(leaseMs - SAFETY_MS, leaseMs / 2)
  }

  #lose(held: Held, reason: string): void {
    if (this.#held.get(held.lease.session_id) !== held) return // released meanwhile
    this.#held.delete(held.lease.session_id)
    held.lost.abort(reason)
  }
}

type Held = { lease: Lease; sentAt: number; lost: AbortController }
