import type { Append, Appended, NewEvent, TurnRow } from './append.ts'
import type { Engine } from './engine.ts'
import { StoreError } from './errors.ts'
import { findGate } from './gate.ts'
import { firstNumber, isQuietRun } from './run-rows.ts'
import { run, runSql, type StoredEvent, type Work } from './work.ts'

export type FollowOptions = {
  /** Number of the last event the reader has; 0 for the whole journal. */
  since: number
  signal: AbortSignal
  /** A reader this many events behind is told to resync instead of being fed. Default 10 000. */
  maxLag?: number
}

export type Snapshot = {
  head: number
  /** The active run, if any; one that only makes room is none. */
  run_id: string | null
  /** What the active run has shown of turns that are not finished: their events, oldest first. */
  open: StoredEvent[]
}

export type TurnsOptions = {
  /** Only turns with a smaller, or a greater, `sequence`. */
  before?: number
  after?: number
  /** From the end, unless `after` is given. */
  limit?: number
  /** `all`: those of other branches as well. */
  branches?: 'all' | undefined
}

const EVENTS_OF_FIRST_PAGE = 64
const EVENTS_PER_PAGE = 256
const BYTES_PER_PAGE = 64 * 1024
const MAX_LAG = 10_000

/** What every face and every run sees of the store. Appends pass the session's gate; readers follow commit order. */
export class Journal {
  readonly #engine: Engine
  readonly #newBatchId: () => string

  constructor(engine: Engine, newBatchId: () => string) {
    this.#engine = engine
    this.#newBatchId = newBatchId
  }

  /**
   * Stores events, numbered without a gap, and resolves once they are committed; only then may anything be shown.
   * Throws `fenced` when the epoch is over, having written nothing. One append per session is in flight at a time.
   */
  append(session_id: string, epoch: number | null, events: readonly NewEvent[]): Promise<Appended> {
    return this.#engine.append(this.appending(session_id, epoch, events))
  }

  /** The same, to be stored as part of a larger transaction, or with turns. */
  appending(session_id: string, epoch: number | null, events: readonly NewEvent[]): Append {
    return { session_id, epoch, events, batch: this.#newBatchId() }
  }

  /**
   * Events after `since`, page by page, for as long as the reader pulls and the session exists. It registers for
   * wake-ups first and then reads until there is nothing left, so that no event can fall in between. A reader that does
   * not pull costs nothing but its place. Throws `resync` when the journal cannot be continued from `since`.
   */
  async *follow(
    session_id: string,
    { since, signal, maxLag = MAX_LAG }: FollowOptions,
  ): AsyncGenerator<readonly StoredEvent[]> {
    using watcher = this.#engine.hub.watch(session_id)
    await this.#demandPosition(session_id, since)
    let cursor = since
    let limit = EVENTS_OF_FIRST_PAGE
    while (!signal.aborted) {
      const { version } = watcher
      const page = watcher.tailAfter(cursor) ?? (await this.#readAfter(session_id, { cursor, maxLag, limit }))
      if (!page) return
      const last = page.at(-1)
      if (!last) {
        await watcher.changedSince(version, signal)
        continue
      }
      cursor = last.event_seq
      limit = Math.min(2 * page.length, EVENTS_PER_PAGE) // large events: a page holds few, so ask for few
      yield page
    }
  }

  /** One consistent picture: where the journal stands, and what is under way there. Follow on from its `head`. */
  async snapshot(session_id: string): Promise<Snapshot> {
    return this.#engine.read(() => takeSnapshot(session_id))
  }

  /** Finished turns of the active branch as rows, in ascending order. Their cost does not depend on how long the session is. */
  async turns(session_id: string, { before, after, limit, branches }: TurnsOptions = {}): Promise<TurnRow[]> {
    const { db } = this.#engine
    let query = db
      .selectFrom('turns')
      .select(['turn_id', 'sequence', 'run_id', 'loop_id', 'status', 'projection', 'messages'])
      .where('session_id', '=', session_id)
    if (branches !== 'all') query = query.where('deprecated', '=', 0)
    if (before !== undefined) query = query.where('sequence', '<', before)
    if (after !== undefined) query = query.where('sequence', '>', after)
    if (limit !== undefined) query = query.limit(limit)
    const fromEnd = limit !== undefined && after === undefined
    const rows = await this.#engine.read(() => run(query.orderBy('sequence', fromEnd ? 'desc' : 'asc')))
    return fromEnd ? rows.reverse() : rows
  }

  /** A position can be continued from when its event exists, or when everything after it does. */
  async #demandPosition(session_id: string, since: number): Promise<void> {
    const [gate] = await this.#engine.select<{ floor: number; found: number }>(
      'SELECT floor, (SELECT count(*) FROM events WHERE session_id = ? AND event_seq = ?) AS found FROM gates WHERE session_id = ?',
      [session_id, since, session_id],
    )
    if (!gate) throw new StoreError('session_gone', `Session ${session_id} does not exist.`)
    if (since === gate.floor || (since > gate.floor && gate.found > 0)) return
    throw resync(session_id, since)
  }

  async #readAfter(session_id: string, { cursor, maxLag, limit }: ReadOptions): Promise<StoredEvent[] | undefined> {
    const rows = await this.#engine.select<GateAndEvent>(READ_AFTER, [session_id, session_id, cursor, limit])
    const [first] = rows
    if (!first) return undefined
    // Pruned under a slow reader, or too much to catch up on: it gets a fresh start rather than a hole.
    if (cursor < first.floor) throw resync(session_id, cursor)
    if (first.head - cursor > maxLag && (await this.#isBehind(session_id, cursor, maxLag)))
      throw resync(session_id, cursor)
    if (first.event_seq === null) return []
    return fitting(rows.map(({ floor: _floor, head: _head, ...event }) => ({ ...event, session_id }) as StoredEvent))
  }

  /** Counts events, not numbers: a take-over leaves thousands of numbers out. */
  async #isBehind(session_id: string, cursor: number, maxLag: number): Promise<boolean> {
    const rows = await this.#engine.select(
      'SELECT event_seq FROM events WHERE session_id = ? AND event_seq > ? ORDER BY event_seq LIMIT 1 OFFSET ?',
      [session_id, cursor, maxLag],
    )
    return rows.length > 0
  }
}

type ReadOptions = { cursor: number; maxLag: number; limit: number }

type GateAndEvent = { floor: number; head: number } & {
  [K in keyof Omit<StoredEvent, 'session_id'>]: StoredEvent[K] | null
}

// The gate row comes along even when there is no event: it tells a quiet session from a deleted one.
const READ_AFTER = `SELECT g.floor, g.head, e.event_seq, e.at, e.run_id, e.loop_id, e.turn_id, e.type, e.data
  FROM (SELECT head, floor FROM gates WHERE session_id = ?) g LEFT JOIN
    (SELECT event_seq, at, run_id, loop_id, turn_id, type, data FROM events WHERE session_id = ? AND event_seq > ? ORDER BY event_seq LIMIT ?) e
    ON 1 = 1 ORDER BY e.event_seq`

/** As many events as fit, at least one: a reader that stalls keeps its page in memory. */
function fitting(events: StoredEvent[]): StoredEvent[] {
  let bytes = 0
  const last = events.findIndex(({ data }) => (bytes += data.length) >= BYTES_PER_PAGE)
  return last < 0 ? events : events.slice(0, last + 1)
}

function* takeSnapshot(session_id: string): Work<Snapshot> {
  const gate = yield* findGate(session_id)
  if (!gate) throw new StoreError('session_gone', `Session ${session_id} does not exist.`)
  const { head } = gate
  const first = gate.run_id === null ? undefined : yield* firstNumber(gate.run_id)
  const run_id = isQuietRun(gate.run_id) ? null : gate.run_id
  if (first === undefined) return { head, run_id, open: [] }
  const open = yield* runSql<StoredEvent>(
    `SELECT session_id, event_seq, at, run_id, loop_id, turn_id, type, data FROM events e
      WHERE session_id = ? AND event_seq >= ? AND turn_id IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.session_id = e.session_id AND t.turn_id = e.turn_id)
      ORDER BY event_seq`,
    [session_id, first],
  )
  return { head, run_id, open }
}

function resync(session_id: string, since: number): StoreError {
  return new StoreError(
    'resync',
    `The journal of ${session_id} cannot be continued from ${since}; read a snapshot and follow from its head.`,
  )
}
