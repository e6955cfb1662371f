import { AsyncLocalStorage } from 'node:async_hooks'
import type pg from 'pg'
import { type Append, type Appended, notWritten, numbered } from '../append.ts'
import type { MovedGate } from '../gate.ts'
import type { Batch } from '../work.ts'
import { commitUnknown, databaseError, isConnectionLoss } from './connection.ts'

type Options = {
  pool: pg.Pool
  url: string
  /** How long an append is tried again over lost connections; later nobody would have a use for it. */
  leaseMs: number
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
    this.#outside(() => setImmediate(() => void this.#flushGroups()))
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
    const { url, leaseMs } = this.#options
    const deadline = performance.now() + leaseMs
    for (;;) {
      try {
        return await this.#storeOnce(waiting)
      } catch (error) {
        if (!isConnectionLoss(error)) throw error
        // One of the tries may have arrived, and there is nobody to ask.
        if (performance.now() > deadline) throw commitUnknown(url, error)
        await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS))
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
    const events = appends.flatMap(({ session_id, epoch, batch, events }) =>
      events.map((event, index) => ({
        ...event,
        session_id,
        k: index + 1,
        batch: index === 0 && epoch === null ? batch : null,
      })),
    )
    const turns = appends.flatMap(({ session_id, turns = [] }) => turns.map((turn) => ({ ...turn, session_id })))
    const contents = appends.flatMap(({ session_id, contents = [] }) => contents.map((row) => ({ ...row, session_id })))
    const { rows } = await this.#options.pool.query<MovedGate & { session_id: string }>({
      name: `append ${locking}${turns.length > 0 ? ' turns' : ''}${contents.length > 0 ? ' contents' : ''}`,
      text: appendStatement(locking, { turns: turns.length > 0, contents: contents.length > 0 }),
      values: [
        appends.map((append) => append.session_id),
        appends.map((append) => append.epoch),
        appends.map((append) => append.events.length),
        appends.map((append) => append.batch),
        ...columns(events, ['session_id', 'k', 'run_id', 'loop_id', 'turn_id', 'type', 'data', 'batch']),
        ...(turns.length > 0
          ? columns(turns, [
              'session_id',
              'sequence',
              'turn_id',
              'run_id',
              'loop_id',
              'status',
              'projection',
              'messages',
            ])
          : []),
        ...(contents.length > 0 ? columns(contents, ['session_id', 'digest', 'content', 'packed']) : []),
      ],
    })
    return new Map(rows.map((row) => [row.session_id, row]))
  }
}

// Notices may have moved the head on since, so the head of this very append is part of its mark.
const FIND_BATCH = `SELECT split_part(last_batch, ':', 2)::bigint AS head, last_at, stop_requested FROM gates
  WHERE session_id = $1 AND split_part(last_batch, ':', 1) = $2 AND $3::int >= 0`

// A notice is found by a mark of its own, because it must not take the owner's.
const FIND_NOTICE = `SELECT e.event_seq + $3::int - 1 AS head, e.at AS last_at, g.stop_requested
  FROM events e JOIN gates g USING (session_id) WHERE e.session_id = $1 AND e.batch = $2`

function isRepeatedNotice(error: unknown): boolean {
  return (error as { constraint?: string }).constraint === 'events_of_notice'
}

/** Fence, numbers, events and turn rows in one statement: one transaction, one round trip. */
function appendStatement(locking: 'SKIP LOCKED' | '', has: { turns: boolean; contents: boolean }): string {
  const first = has.turns ? 21 : 13
  const contents = `, texts AS (
    INSERT INTO contents (session_id, digest, content, packed)
    SELECT c.session_id, c.digest, c.content, c.packed
    FROM unnest($${first}::text[], $${first + 1}::text[], $${first + 2}::text[], $${first + 3}::bigint[])
      AS c(session_id, digest, content, packed) JOIN moved m USING (session_id)
    ON CONFLICT DO NOTHING)`
  const turns = `, kept AS (
    INSERT INTO turns (session_id, sequence, turn_id, run_id, loop_id, status, projection, messages)
    SELECT t.session_id, t.sequence, t.turn_id, t.run_id, t.loop_id, t.status, t.projection, t.messages
    FROM unnest($13::text[], $14::bigint[], $15::text[], $16::text[], $17::text[], $18::text[], $19::text[], $20::text[])
      AS t(session_id, sequence, turn_id, run_id, loop_id, status, projection, messages) JOIN moved m USING (session_id)
    ON CONFLICT (session_id, sequence)
    DO UPDATE SET status = excluded.status, projection = excluded.projection, messages = coalesce(excluded.messages, turns.messages))`
  return `WITH want AS (
    SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[]) AS w(session_id, epoch, n, batch)
  ), taken AS MATERIALIZED (
    SELECT g.session_id FROM gates g JOIN want w USING (session_id)
    WHERE w.epoch IS NULL OR (g.epoch = w.epoch AND split_part(coalesce(g.last_batch, ''), ':', 1) <> w.batch)
    ORDER BY g.session_id FOR UPDATE OF g ${locking}
  ), moved AS (
    UPDATE gates g SET head = g.head + g.skip + w.n, skip = 0, last_at = greatest(g.last_at, now_ms()),
      last_batch = CASE WHEN w.epoch IS NULL THEN g.last_batch ELSE w.batch || ':' || (g.head + g.skip + w.n) END
    FROM want w JOIN taken USING (session_id)
    WHERE g.session_id = w.session_id AND (w.epoch IS NULL OR g.epoch = w.epoch)
    RETURNING g.session_id, g.head, g.last_at, g.stop_requested, w.n
  ), stored AS (
    INSERT INTO events (session_id, event_seq, at, run_id, loop_id, turn_id, type, data, batch)
    SELECT e.session_id, m.head - m.n + e.k, m.last_at, e.run_id, e.loop_id, e.turn_id, e.type, e.data, e.batch
    FROM unnest($5::text[], $6::bigint[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[])
      AS e(session_id, k, run_id, loop_id, turn_id, type, data, batch) JOIN moved m USING (session_id)
  )${has.turns ? turns : ''}${has.contents ? contents : ''}
  SELECT session_id, head, last_at, stop_requested FROM moved`
}

function columns<R extends Record<string, unknown>>(rows: R[], names: (keyof R)[]): unknown[][] {
  return names.map((name) => rows.map((row) => row[name]))
}
