import type { Engine } from './engine.ts'
import { lookEveryMs, Standstill } from './standstill.ts'
import { readStored } from './stored-json.ts'
import { type Work, runSql } from './work.ts'

/** What a server has that others may not. */
export type InstanceOffer = {
  models: readonly string[]
  tools: readonly string[]
  /** Versions of agents that it could not get, though every instance can: by their digests. */
  lacks?: readonly string[]
}

export type InstanceOptions = {
  engine: Engine
  id: string
  leaseMs: number
  offer: () => InstanceOffer
  onError: (error: unknown) => void
}

/** What people call an instance: its id without the part that only tells it from its predecessors. */
export function instanceName(id: string): string {
  return id.replace(/:[0-9a-f-]{36}$/, '')
}

/** Silent for so many leases, an instance is forgotten. */
const FORGOTTEN_LEASES = 10

/** Says, as long as it runs, that this server is alive and what it has; the last word is that it is gone. */
export async function startInstance({
  engine,
  id,
  leaseMs,
  offer,
  onError,
}: InstanceOptions): Promise<AsyncDisposable> {
  const beat = () => engine.write(() => signOfLife(id, leaseMs, offer()), { isRenewal: true })
  await beat()
  const timer = engine.timers.every(leaseMs / 3, () => void beat().catch(onError))
  return {
    async [Symbol.asyncDispose]() {
      timer[Symbol.dispose]()
      await engine.write(() => runSql('DELETE FROM instances WHERE id = ?', [id])).catch(onError)
    },
  }
}

export type InstanceWatchOptions = {
  engine: Engine
  leaseMs: number
  monotonicNow: () => number
  onError: (error: unknown) => void
}

/** Sees which of the servers that share the database are gone: those whose row stood still for a whole lease. */
export class InstanceWatch implements Disposable {
  readonly #options: InstanceWatchOptions
  readonly #standstill: Standstill
  readonly #timer: Disposable | undefined
  readonly #listeners: (() => void)[] = []
  #gone = new Set<string>()
  #isLooking = false

  constructor(options: InstanceWatchOptions) {
    this.#options = options
    const { engine, leaseMs, monotonicNow, onError } = options
    this.#standstill = new Standstill(monotonicNow)
    // On SQLite there is nobody else.
    if (engine.kind === 'sqlite') return
    this.#timer = engine.timers.every(lookEveryMs(leaseMs), () => void this.look().catch(onError))
  }

  /** Those that ended in good order have no row, and are not among them. */
  get gone(): ReadonlySet<string> {
    return this.#gone
  }

  /** Calls back whenever one more has fallen silent. */
  onGone(listener: () => void): void {
    this.#listeners.push(listener)
  }

  async look(): Promise<void> {
    if (this.#isLooking) return
    this.#isLooking = true
    try {
      await this.#look()
    } finally {
      this.#isLooking = false
    }
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]()
  }

  async #look(): Promise<void> {
    const { engine, leaseMs, monotonicNow } = this.#options
    const askedAt = monotonicNow()
    const rows = await engine.select<{ id: string; lease_until: number }>('SELECT id, lease_until FROM instances', [])
    const still = this.#standstill.look(
      rows.map(({ id, lease_until }) => ({ key: id, mark: String(lease_until) })),
      askedAt,
    )
    const silentFor = (id: string) => still.get(id) ?? 0
    const gone = rows.filter(({ id }) => silentFor(id) >= leaseMs).map(({ id }) => id)
    const isNews = gone.some((id) => !this.#gone.has(id))
    this.#gone = new Set(gone)
    if (isNews) for (const tell of this.#listeners) tell()
    for (const { id, lease_until } of rows)
      if (silentFor(id) >= FORGOTTEN_LEASES * leaseMs)
        await engine.write(() => runSql('DELETE FROM instances WHERE id = ? AND lease_until = ?', [id, lease_until]))
  }
}

/** What the servers have that are not gone, this one included. */
export function* liveOffers(gone: ReadonlySet<string>): Work<InstanceOffer[]> {
  const rows = yield* runSql<{ id: string; detail: string }>('SELECT id, detail FROM instances', [])
  return rows
    .filter(({ id }) => !gone.has(id))
    .flatMap(({ detail }) => (readStored(detail) as InstanceOffer | undefined) ?? [])
}

export type InstanceRow = { id: string; started_at: number; lease_until: number; runs: number }

/** Every server that has given a sign of life lately, the first started first, and how many runs it holds. */
export function instancesWithRuns(): Work<InstanceRow[]> {
  return runSql<InstanceRow>(
    `SELECT i.id, i.started_at, i.lease_until,
        (SELECT count(*) FROM gates g WHERE g.owner = i.id AND g.run_id IS NOT NULL) AS runs
      FROM instances i ORDER BY i.started_at, i.id`,
    [],
  )
}

function* signOfLife(id: string, leaseMs: number, offer: InstanceOffer): Work<void> {
  yield* runSql(
    `INSERT INTO instances (id, lease_until, started_at, detail) VALUES (?, now_ms() + ?, now_ms(), ?)
      ON CONFLICT (id) DO UPDATE SET lease_until = excluded.lease_until, detail = excluded.detail`,
    [id, leaseMs, JSON.stringify(offer)],
  )
}
