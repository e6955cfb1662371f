import { AsyncLocalStorage } from 'node:async_hooks'
import type pg from 'pg'
import { type Append, type Appended, notWritten, numbered } from '../append.ts'
import type { MovedGate } from '../gate.ts'
import type { Timers } from '../timers.ts'
import type { Batch } from '../work.ts'
import { commitUnknown, databaseError, isConnectionLoss } from './connection.ts'
import { appendQuery, FIND_BATCH, FIND_NOTICE } from './gate-statements.ts'

type Options = {
  pool: pg.Pool
  url: string
  /** How long an append is tried again over lost connections; later nobody would have a use for it. */
  leaseMs: number
  timers: Timers
  onCommitted: (batch: Batch) => void
}

type Waiting = { append: Append; resolve: (appended: Appended) => void; reject: (error: unknown) => void }

const APPENDS_PER_GROUP = 500
const RECONNECT_MS = 200

/**
 * One append per session in flight, all sessions' pending appends in one statement. Gate rows are taken in `session_id`
 * order, and those that somebody holds right now are left out, so that a stalled stranger delays only the session it
 * holds. Whoever was left out, or fenced, is tried again alone, outside the group.
 */
export class GroupAppender {
  readonly #options: Options
  readonly #queues = new Map<string, Waiting[]>()
  readonly #inFlight = new Set<string>()
  /** A commit is everybody's: it must not count as a callback of whoever asked for it first. */
  readonly #outside = AsyncLocalStorage.snapshot()
  #grouping = false
  #idle: (() => void)[] = []

  constructor(options: Options) {
    this.#options = options
  }

  append(append: Append): Promise<Appended> {
    return new Promise((resolve, reject) => {
      const queue = this.#queues.get(append.session_id)
      if (queue) queue.push({ append, resolve, reject })
      else this.#queues.set(append.session_id, [{ append, resolve, reject }])
      this.#schedule()
    })
  }

  /** Resolves when nothing is pending or in flight. */
  async settled(): Promise<void> {
    if (this.#queues.size === 0 && this.#inFlight.size === 0) return
    await new Promise<void>((resolve) => this.#idle.push(resolve))
  }

  #schedule(): void {
    if (this.#grouping) return
    this.#grouping = true
    this.#outside(() => this.#options.timers.soon(() => void this.#flushGroups()))
  }

  async #flushGroups(): Promise<void> {
    for (;;) {
      const group = this.#takeGroup()
      if (group.length === 0) break
      await this.#writeGroup(group)
    }
    this.#grouping = false
    if (this.#queues.size === 0 && this.#inFlight.size === 0) for (const resolve of this.#idle.splice(0)) resolve()
  }

  /** The oldest pending append of every session that has none in flight. */
  #takeGroup(): Waiting[] {
    const group: Waiting[] = []
    for (const [session_id, queue] of this.#queues) {
      if (group.length === APPENDS_PER_GROUP) break
      if (this.#inFlight.has(session_id)) continue
      group.push(queue.shift()!)
      this.#inFlight.add(session_id)
      if (queue.length === 0) this.#queues.delete(session_id)
    }
    return group
  }

  async #writeGroup(group: Waiting[]): Promise<void> {
    let moved: Map<string, MovedGate>
    try {
      moved = await this.#store(group, 'SKIP LOCKED')
    } catch {
      moved = new Map() // each for itself: one bad append must not take the others down
    }
    for (const waiting of group) {
      const gate = moved.get(waiting.append.session_id)
      if (gate) this.#stored(waiting, gate)
      else void this.#writeAlone(waiting)
    }
  }

  /** Waits for the gate row if need be; the only place where an append is refused. */
  async #writeAlone(waiting: Waiting): Promise<void> {
    const { session_id, epoch } = waiting.append
    try {
      const gate = await this.#storeOverLostConnections(waiting)
      if (!gate) throw notWritten(session_id, epoch)
      this.#stored(waiting, gate)
    } catch (error) {
      this.#release(session_id)
      waiting.reject(databaseError(error, this.#options.url))
    }
  }

  async #storeOverLostConnections(waiting: Waiting): Promise<MovedGate | undefined> {
    const { url, leaseMs, timers } = this.#options
    const deadline = timers.elapsed() + leaseMs
    for (;;) {
      try {
        return await this.#storeOnce(waiting)
      } catch (error) {
        if (!isConnectionLoss(error)) throw error
        // One of the tries may have arrived, and there is nobody to ask.
        if (timers.elapsed() > deadline) throw commitUnknown(url, error)
        await timers.sleep(RECONNECT_MS)
      }
    }
  }

  #stored({ append, resolve }: Waiting, gate: MovedGate): void {
    const { session_id, events } = append
    const base = gate.head - events.length
    this.#options.onCommitted({
      session_id,
      base,
      head: gate.head,
      events: events.map((event, index) =>
        numbered(event, { session_id, event_seq: base + 1 + index, at: gate.last_at }),
      ),
    })
    this.#release(session_id)
    resolve({ head: gate.head, at: gate.last_at, stop_requested: gate.stop_requested === 1 })
  }

  #release(session_id: string): void {
    this.#inFlight.delete(session_id)
    if (this.#queues.size > 0) this.#schedule()
    else if (this.#inFlight.size === 0) for (const resolve of this.#idle.splice(0)) resolve()
  }

  /**
   * An earlier try may have been committed before its connection broke, or still wait in the server and be committed
   * just before this one. So it is the statement that refuses a second time; asking first would not do.
   */
  async #storeOnce(waiting: Waiting): Promise<MovedGate | undefined> {
    const stored = await this.#store([waiting], '').catch((error: unknown) => {
      if (isRepeatedNotice(error)) return undefined
      throw error
    })
    return stored?.get(waiting.append.session_id) ?? (await this.#alreadyStored(waiting.append))
  }

  async #alreadyStored({ session_id, epoch, batch, events }: Append): Promise<MovedGate | undefined> {
    const { rows } = await this.#options.pool.query<MovedGate>(epoch === null ? FIND_NOTICE : FIND_BATCH, [
      session_id,
      batch,
      events.length,
    ])
    return rows[0]
  }

  async #store(group: Waiting[], locking: 'SKIP LOCKED' | ''): Promise<Map<string, MovedGate>> {
    const appends = group.map(({ append }) => append)
    const { rows } = await this.#options.pool.query<MovedGate & { session_id: string }>(appendQuery(appends, locking))
    return new Map(rows.map((row) => [row.session_id, row]))
  }
}

function isRepeatedNotice(error: unknown): boolean {
  return (error as { constraint?: string }).constraint === 'events_of_notice'
}
