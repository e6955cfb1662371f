import { ROOT_LOOP } from '@parley/protocol'
import type { Selectable } from 'kysely'
import { confirmationsOf } from '../../confirm/confirmations.ts'
import type { Engine } from '../../store/engine.ts'
import type { Lease } from '../../store/gate.ts'
import { findRun, type RunRow } from '../../store/run-rows.ts'
import type { Schema } from '../../store/schema.ts'
import { findSession } from '../../store/session-record.ts'
import { run, runSql, type StoredEvent, type Work } from '../../store/work.ts'
import { UNREADABLE } from '../../store/read-turn.ts'
import { type StoredTurn, storedTurn, TURN_COLUMNS } from '../../context/stored-turns.ts'
import { ARCHIVED, contextBegins } from '../../store/compaction-rows.ts'
import { databaseNow } from '../../store/database-now.ts'
import { withoutForgotten } from '../../context/gone-memories.ts'
import { withoutGone } from '../../context/gone-passages.ts'
import { KnownSources } from '../../context/known-sources.ts'
import { loadNamedHosts, type NamedHosts } from './named-hosts.ts'
import { RunReader, type RunRecord } from './run-record.ts'
import { readNeeds, readOptions, type RunOptions } from '../../store/run-options.ts'

export type LoadedRun = {
  run: RunRow
  options: RunOptions
  session: Selectable<Schema['sessions']>
  /** Finished and paused turns that matter to this run, oldest first. */
  turns: StoredTurn[]
  record: RunRecord
  /** Hosts that its tools may ask without asking a person. */
  named: NamedHosts
  /** What its answers may cite. */
  sources: KnownSources
  nextSequence: number
  /** When it was read, by the store's clock. */
  readAt: number
  /** Part of what the run has done cannot be read: it can be ended, but not be carried on. */
  isDamaged: boolean
}

/** A run's events are read this many at a time. */
const PAGE_EVENTS = 2_000
/** Everything it takes to start a run or to carry it on; read after the lease was won. */
export function* loadRun(engine: Engine, { session_id, run_id }: Lease): Work<LoadedRun> {
  const row = yield* findRun(engine, run_id)
  const session = yield* findSession(engine, session_id)
  if (!row || !session) throw new Error(`Run ${run_id} of session ${session_id} has no row.`)
  const record = yield* loadRecord(session_id, row.first_seq)
  const [last] = yield* runSql<{ sequence: number | null }>(
    'SELECT max(sequence) AS sequence FROM turns WHERE session_id = ?',
    [session_id],
  )
  const nextSequence = Math.max(last?.sequence ?? -1, ...record.open.map(({ turn }) => turn.sequence)) + 1
  const open = record.open.find(({ turn }) => turn.loop_id === ROOT_LOOP)?.turn.sequence
  const stored = yield* loadTurns(engine, session_id, open ?? (yield* pausedAt(session_id)) ?? nextSequence)
  const turns = yield* withoutForgotten(yield* withoutGone(engine, stored))
  const unsettled = [...turns, ...record.open].filter(
    ({ turn }) => turn.status === 'paused' || turn.status === 'streaming',
  )
  record.confirmations = yield* confirmationsOf(
    session_id,
    unsettled.map(({ turn }) => turn.turn_id),
  )
  const named = yield* loadNamedHosts(session_id, turns)
  const options = readOptions(row.options)
  const isDamaged =
    record.isDamaged || !options || !readNeeds(row.needs) || turns.some((stored) => isLost(stored, row.id))
  const readAt = yield* databaseNow()
  const sources = new KnownSources(turns.map(({ turn }) => turn))
  const found = { turns, record, named, sources, nextSequence, readAt, isDamaged }
  return { run: row, options: options ?? NO_OPTIONS, session, ...found }
}

/** Of a run that will only be ended. */
const NO_OPTIONS: RunOptions = { model: '', mode: 'executing', headless: false, output_schema: null }

/** Of an earlier run, a turn that cannot be read is only left out of the conversation. */
function isLost({ turn }: StoredTurn, run_id: string): boolean {
  return turn.failure_reason === UNREADABLE && (turn.run_id === run_id || turn.status === 'paused')
}

/** Names of tools that were called and have no result yet: a run that is carried on, or answered, will need them. */
export function openCalls({ turns, record }: LoadedRun): string[] {
  const calls = [...turns, ...record.open].flatMap(({ turn }) => turn.tool_calls)
  return calls
    .filter(({ status }) => status === 'pending' || status === 'awaiting_answer')
    .map((call) => call.tool_name)
}

export function* loadRecord(session_id: string, first_seq: number): Work<RunRecord> {
  const reader = new RunReader()
  for (let next = first_seq; ;) {
    const page = yield* runSql<StoredEvent>(
      `SELECT session_id, event_seq, at, run_id, loop_id, turn_id, type, data FROM events WHERE session_id = ? AND event_seq >= ? ORDER BY event_seq LIMIT ?`,
      [session_id, next, PAGE_EVENTS],
    )
    for (const event of page) reader.add(event)
    if (page.length < PAGE_EVENTS) return reader.record()
    next = page.at(-1)!.event_seq + 1
  }
}

/** The turn of the main agent that waits for a person, if there is one. */
function* pausedAt(session_id: string): Work<number | undefined> {
  const [paused] = yield* runSql<{ sequence: number | null }>(
    "SELECT max(sequence) AS sequence FROM turns WHERE session_id = ? AND status = 'paused' AND loop_id = ?",
    [session_id, ROOT_LOOP],
  )
  return paused?.sequence ?? undefined
}

/** The main agent's turns since its last compaction, and all turns of the sub-agents that work for the one at `open`. */
function* loadTurns(engine: Engine, session_id: string, open: number): Work<StoredTurn[]> {
  const from = yield* contextBegins(session_id, ROOT_LOOP)
  const rows = yield* run(
    engine.db
      .selectFrom('turns')
      .select(TURN_COLUMNS)
      .where('session_id', '=', session_id)
      .where('sequence', '>=', from)
      .where('deprecated', '=', 0)
      .where((eb) =>
        eb.or([
          eb.and([eb('loop_id', '=', ROOT_LOOP), eb('projection', 'not like', `%${ARCHIVED}`)]),
          eb('sequence', '>', open),
        ]),
      )
      .orderBy('sequence'),
  )
  return rows.map(storedTurn)
}
