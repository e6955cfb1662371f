import { readLeases, type SeenLease } from '../store/gate.ts'
import type { Moment } from '../store/lease-keeper.ts'
import { readNeeds, RUN_FORMAT } from '../store/run-options.ts'
import { claimRun, needsOfRuns, type WonLease } from '../store/run-rows.ts'
import { Standstill } from '../store/standstill.ts'
import { type Equipment, isForHere } from './carry-on.ts'

export type ClaimsOptions = Equipment & {
  instance: string
  leaseMs: number
  monotonicNow: () => number
  now: () => Moment
  sharesWorkspaces: () => Promise<boolean>
  /** Whether a session's run works here, or none may start here any more. */
  isHere: (session_id: string) => boolean
  /** Starts a run that was claimed at `sentAt`. */
  begin: (lease: WonLease, sentAt: Moment) => void
}

/** Many more than one instance takes at once: runs that need what it lacks must not hide the others. */
const CLAIMS_PER_LOOK = 500

/** Finds the runs that nobody keeps, and takes those that this instance is as good for as any. */
export class Claims {
  readonly #options: ClaimsOptions
  readonly #standstill: Standstill

  constructor(options: ClaimsOptions) {
    this.#options = options
    this.#standstill = new Standstill(options.monotonicNow)
  }

  async claim(): Promise<void> {
    const { engine, sharesWorkspaces, isHere } = this.#options
    try {
      const abandoned = await this.#findAbandoned()
      if (abandoned.length === 0 || !(await sharesWorkspaces())) return
      // On a full disk a take-over would only count against the run.
      if ((await engine.trouble()) === 'storage_full') return
      const ids = abandoned.map(({ run_id }) => run_id)
      const rows = await engine.read(() => needsOfRuns(engine, ids))
      for (const seen of abandoned) {
        const row = rows.get(seen.run_id)
        if (!row || row.format > RUN_FORMAT || isHere(seen.session_id)) continue
        // One whose needs nobody can read is taken as well, to end it.
        const needs = readNeeds(row.needs)
        if (!needs || (await isForHere(needs, this.#options))) await this.#take(seen)
      }
    } catch {
      // The store is out of reach; the next look will find them.
    }
  }

  async #take(seen: SeenLease): Promise<void> {
    const { engine, instance, leaseMs, now, begin } = this.#options
    const sentAt = now()
    const lease = await engine.write(() => claimRun(seen, instance, leaseMs))
    if (lease) begin(lease, sentAt)
  }

  /**
   * Handed back, or with a lease that stood still for its whole length by this process's own clock. Never one that still
   * works here: nobody takes a run from itself, whatever its row says.
   */
  async #findAbandoned(): Promise<SeenLease[]> {
    const { engine, leaseMs, monotonicNow, isHere } = this.#options
    const askedAt = monotonicNow()
    const leases = await readLeases(engine)
    const still = this.#standstill.look(
      leases.map(({ session_id, owner, epoch, lease_until }) => ({
        key: session_id,
        mark: `${owner} ${epoch} ${lease_until}`,
      })),
      askedAt,
    )
    return leases
      .filter(({ session_id, owner }) => owner === null || still.get(session_id)! >= leaseMs)
      .filter(({ session_id }) => !isHere(session_id))
      .slice(0, CLAIMS_PER_LOOK)
  }
}
