import { LeaseKeeper, type Moment } from '../store/lease-keeper.ts'
import { askedOfOwner, handBack, type Lease, renew } from '../store/gate.ts'
import type { WonLease } from '../store/run-rows.ts'
import { lookEveryMs } from '../store/standstill.ts'
import type { Acceptance } from './accept/request.ts'
import { ActiveRun } from './active-run.ts'
import { Claims } from './claims.ts'
import { failRun } from './fail-run.ts'
import { runOwner } from './run-owner.ts'
import { inRun } from './run-scope.ts'
import type { RunsOptions, WorkOptions } from './runs-options.ts'
import { TextClock } from './text-clock.ts'
import { type Running, workOnRun } from './work-on-run.ts'

const STOP_CHECK_MS = 500

/**
 * The runs of this instance, each from the lease that was won for it to the moment it leaves:
 *
 *   a message or an answer ─┐                   ┌──────────── its end is stored (C9) ────────────▶ over
 *                           ├─ begin ─▶ worked ─┼─ stop ──▶ everything aborts ─▶ C9, interrupted ─▶ over
 *   claimed, nobody kept it ┘          on       ├─ throws ▶ read anew ─────────▶ C9, failed ──────▶ over
 *                                               ├─ drain ─▶ no new step; aborts ─▶ handed back ───▶ anybody's, at once
 *                                               └─ lost ──▶ aborts, stores nothing more; let go ──▶ whoever claims it
 *
 * The first of stop, drain's end and lost counts. One that replaces another here waits until that one is done.
 */
export class Runs implements AsyncDisposable {
  readonly #options: WorkOptions
  readonly #leases: LeaseKeeper
  readonly #claims: Claims
  readonly #running = new Map<string, Running>()
  readonly #repeated: Disposable[] = []
  #isStopping = false
  #claiming: Promise<void> | undefined

  constructor(options: RunsOptions) {
    const { engine, leaseMs, instance } = options
    this.#leases = new LeaseKeeper({
      leaseMs,
      timers: engine.timers,
      now: () => this.now(),
      renew: (leases) => engine.write(() => renew(leases, instance, leaseMs), { isRenewal: true }),
    })
    const pace = new TextClock(engine.timers)
    this.#options = { ...options, leases: this.#leases, pace, beginner: () => this.#beginner() }
    this.#claims = new Claims({
      ...options,
      now: () => this.now(),
      isHere: (session_id) => this.#isStopping || this.#running.has(session_id),
      begin: (lease, sentAt) => this.begin(lease, sentAt, false),
    })
  }

  /** Begins to look after runs that nobody keeps. On SQLite every run that was active before this process is one. */
  start(): void {
    void this.claimExpired()
    const { engine, leaseMs } = this.#options
    this.#repeated.push(engine.timers.every(lookEveryMs(leaseMs), () => void this.claimExpired()))
    if (engine.kind === 'postgres') this.#repeated.push(engine.timers.every(STOP_CHECK_MS, () => void this.#hear()))
  }

  /** For `begin`: when a claim is sent. */
  now(): Moment {
    return { monotonic: this.#options.monotonicNow(), wall: this.#options.clock.now() }
  }

  /**
   * Starts a run whose lease was won by a claim sent at `sentAt`, its message or a take-over. Whoever still works on the
   * session here was replaced meanwhile, elsewhere or by its own end: it is stopped, and done, before this one starts.
   */
  begin({ untold, ...lease }: WonLease, sentAt: Moment, isFresh: boolean): void {
    const before = this.#running.get(lease.session_id)
    before?.active.stop('lost')
    const lost = this.#leases.hold(lease, sentAt)
    const active = new ActiveRun()
    active.isDraining = this.#isStopping
    lost.addEventListener('abort', () => active.stop('lost'), { once: true })
    const running: Running = { lease, active, isFresh, done: Promise.resolve(), look: async () => undefined }
    if (untold) running.untold = runOwner(lease, this.#options.instance, untold)
    running.done = (before ? before.done : Promise.resolve())
      .then(() => inRun(active, () => workOnRun(running, this.#options)))
      .catch((error: unknown) => failRun(error, running, this.#options))
      .then(() => (lost.aborted ? this.#letGo(lease) : undefined))
      .finally(() => {
        active.stop('lost')
        this.#leases.release(lease)
        if (this.#running.get(lease.session_id) === running) this.#running.delete(lease.session_id)
        this.#options.afterRun?.(lease)
      })
    this.#running.set(lease.session_id, running)
  }

  #beginner(): (started: Acceptance | undefined) => void {
    const sentAt = this.now()
    return (started) => {
      if (started?.lease) this.begin(started.lease, sentAt, true)
    }
  }

  /** Somebody has asked something of this session's run: here at once; elsewhere by a hint, and by the owner's own look. */
  tellOwner(session_id: string): void {
    this.nudge(session_id)
    this.#options.engine.nudge(session_id)
  }

  /** If the session's run is here, look now. */
  nudge(session_id: string): void {
    void this.#running.get(session_id)?.look()
  }

  /** The same, told by another instance, which may also have asked for a stop. */
  nudgedFromOutside(session_id: string): void {
    if (this.#running.has(session_id)) void this.#hear()
  }

  stop(session_id: string, run_id: string): void {
    const running = this.#running.get(session_id)
    if (running?.lease.run_id === run_id) running.active.stop('stop')
  }

  /** The session is about to be deleted: resolves when nothing of its run works here any more. */
  async abandon(session_id: string): Promise<void> {
    const running = this.#running.get(session_id)
    running?.active.stop('lost')
    await running?.done
  }

  async claimExpired(): Promise<void> {
    if (this.#isStopping) return
    this.#claiming ??= this.#claims.claim().finally(() => {
      this.#claiming = undefined
    })
    await this.#claiming
  }

  /** Lets answers and tools finish for a while, aborts the rest, and hands every run back. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopping = true
    for (const timer of this.#repeated) timer[Symbol.dispose]()
    await this.#claiming
    const running = [...this.#running.values()]
    for (const { active } of running) active.isDraining = true
    const { engine, drainMs } = this.#options
    const abort = engine.timers.after(drainMs, () => running.forEach(({ active }) => active.stop('shutdown')))
    await Promise.all(running.map(({ done }) => done))
    abort[Symbol.dispose]()
    this.#leases[Symbol.dispose]()
  }

  /** Has anybody asked for a stop, or added something? One question for all runs of this instance. */
  async #hear(): Promise<void> {
    if (this.#running.size === 0) return
    const { engine, instance } = this.#options
    try {
      for (const { session_id, run_id, stop_requested, commands } of await askedOfOwner(engine, instance))
        if (stop_requested) this.stop(session_id, run_id)
        else if (commands > 0) this.nudge(session_id)
    } catch {
      // The store is out of reach; the lease decides.
    }
  }

  /** Of a lost lease: as long as nobody has taken the run over, nobody need wait for it to stand still. */
  async #letGo(lease: Lease): Promise<void> {
    try {
      await this.#options.engine.write(() => handBack(lease))
    } catch {
      // The store is out of reach; then it will stand still.
    }
  }
}
