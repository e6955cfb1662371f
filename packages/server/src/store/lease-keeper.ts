import type { Lease } from './gate.ts'
import { systemTimers, type Timers } from './timers.ts'

/** The same moment by two clocks: the monotonic one may sleep with the machine, the wall clock may be set. */
export type Moment = { monotonic: number; wall: number }

export type LeaseKeeperOptions = {
  leaseMs: number
  now: () => Moment
  /** Default the system's. */
  timers?: Timers
  /** Asks the store; resolves with those that are still ours, rejects when the store cannot be reached. */
  renew: (leases: readonly Lease[]) => Promise<readonly Lease[]>
}

/** How long before the lease's end an owner that could not renew stops by itself. */
const SAFETY_MS = 2_000
/** How soon a stale lease is noticed; renewals come too seldom for that. */
const WATCH_MS = 250
/** How long the store may take to answer whether a doubtful lease is still ours. */
const DOUBT_MS = 2_000

/**
 * Keeps this instance's leases alive, all in one renewal every third of the lease, and fences this instance by itself,
 * whatever the database would say. The age of a lease is counted from when its last successful renewal was sent:
 *
 *   fresh ──wall clock alone moved too far──▶ doubtful ──renewed──▶ fresh
 *     └────monotonic clock moved too far──▶ lost ◀──refused, or no answer──┘
 *
 * So a frozen or cut-off owner stops before another one can have started; one that slept with its machine asks before it
 * does anything more; and one whose clock was set goes on.
 */
export class LeaseKeeper implements Disposable {
  readonly #options: LeaseKeeperOptions
  readonly #held = new Map<string, Held>()
  readonly #timers: Timers
  readonly #repeated: Disposable[]
  #settling: Promise<void> | undefined

  constructor(options: LeaseKeeperOptions) {
    this.#options = options
    this.#timers = options.timers ?? systemTimers
    this.#repeated = [
      this.#timers.every(options.leaseMs / 3, () => void this.#renew([...this.#held.values()])),
      this.#timers.every(WATCH_MS, () => this.#watch()),
    ]
  }

  /** From a claim that was sent at `sentAt`. The signal aborts when the lease is lost, its reason says how. */
  hold(lease: Lease, sentAt: Moment): AbortSignal {
    const held: Held = { lease, sentAt, lost: new AbortController() }
    this.#held.set(lease.session_id, held)
    return held.lost.signal
  }

  release(lease: Lease): void {
    if (this.#find(lease)) this.#held.delete(lease.session_id)
  }

  /** Asked before everything that is stored: a loser stores nothing, even while nobody has taken over. */
  isHeld(lease: Lease): boolean {
    const held = this.#find(lease)
    if (held && this.#ageOf(held) === 'stale') this.#lose(held, TOO_LATE)
    return held !== undefined && !held.lost.signal.aborted
  }

  /** Asked right before every side effect. Where the clocks disagree, the store is asked first. */
  async mayAct(lease: Lease): Promise<boolean> {
    for (let held = this.#find(lease); held && this.#ageOf(held) === 'doubtful'; held = this.#find(lease))
      await this.#settleDoubts()
    return this.isHeld(lease)
  }

  [Symbol.dispose](): void {
    for (const timer of this.#repeated) timer[Symbol.dispose]()
  }

  /** Does not wait for the one before: a question that is never answered must not be the last. */
  async #renew(asked: readonly Held[]): Promise<void> {
    if (asked.length === 0) return
    const sentAt = this.#options.now()
    try {
      const kept = await this.#options.renew(asked.map(({ lease }) => lease))
      const epochs = new Map(kept.map(({ session_id, epoch }) => [session_id, epoch]))
      for (const held of asked) {
        if (epochs.get(held.lease.session_id) !== held.lease.epoch)
          this.#lose(held, 'another instance has taken the run over')
        else if (sentAt.monotonic >= held.sentAt.monotonic) held.sentAt = sentAt
      }
    } catch {
      // The store is out of reach: age decides.
    }
  }

  #watch(): void {
    for (const held of this.#held.values()) if (this.#ageOf(held) === 'stale') this.#lose(held, TOO_LATE)
    if (this.#doubtful().length > 0) void this.#settleDoubts()
  }

  #settleDoubts(): Promise<void> {
    this.#settling ??= this.#askAboutDoubtful().finally(() => {
      this.#settling = undefined
    })
    return this.#settling
  }

  async #askAboutDoubtful(): Promise<void> {
    const asked = this.#doubtful().map((held) => ({ held, sentAt: held.sentAt }))
    const patience = Promise.withResolvers<void>()
    using _timer = this.#timers.after(DOUBT_MS, patience.resolve)
    await Promise.race([this.#renew(asked.map(({ held }) => held)), patience.promise])
    // One that was renewed may be in doubt again: the clock has jumped once more, and the next look asks once more.
    for (const { held, sentAt } of asked) if (held.sentAt === sentAt) this.#lose(held, TOO_LATE)
  }

  #doubtful(): Held[] {
    return [...this.#held.values()].filter((held) => this.#ageOf(held) === 'doubtful')
  }

  #ageOf({ sentAt }: Held): 'fresh' | 'doubtful' | 'stale' {
    const { leaseMs, now } = this.#options
    const { monotonic, wall } = now()
    const limit = Math.max(leaseMs - SAFETY_MS, leaseMs / 2)
    if (monotonic - sentAt.monotonic > limit) return 'stale'
    return wall - sentAt.wall > limit ? 'doubtful' : 'fresh'
  }

  #find({ session_id, epoch }: Lease): Held | undefined {
    const held = this.#held.get(session_id)
    return held?.lease.epoch === epoch ? held : undefined
  }

  #lose(held: Held, reason: string): void {
    if (this.#held.get(held.lease.session_id) !== held) return // released meanwhile
    this.#held.delete(held.lease.session_id)
    held.lost.abort(reason)
  }
}

type Held = { lease: Lease; sentAt: Moment; lost: AbortController }

const TOO_LATE = 'the lease could not be renewed in time'
