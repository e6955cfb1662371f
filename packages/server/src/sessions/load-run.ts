import { ROOT_LOOP } from '@parley/protocol'
import type { Selectable } from 'kysely'
import type { Engine } from '../store/engine.ts'
import type { Lease } from '../store/leases.ts'
import type { Schema } from '../store/schema.ts'
import { run, runSql, type StoredEvent, type Work } from '../store/work.ts'
import { type StoredTurn, storedTurn } from './context.ts'
import { readRun, type RunRecord } from './restore.ts'
import type { RunOptions } from './run-options.ts'

export type LoadedRun = {
  run: Selectable<Schema['runs']>
  options: RunOptions
  session: Selectable<Schema['sessions']>
  /** Finished and paused turns that matter to this run, oldest first. */
  turns: StoredTurn[]
  record: RunRecord
  nextSequence: number
}

/** The newest turns of the conversation that the model is given, at most this many. */
const HISTORY_TURNS = 400
/** The oldest of them moves in steps, so that the beginning of the context stays the same for many runs. */
const HISTORY_STEP = 128

/** Everything it takes to start a run or to carry it on; read after the lease was won. */
export function* loadRun(engine: Engine, { session_id, run_id }: Lease): Work<LoadedRun> {
  const { db } = engine
  const [row] = yield* run(db.selectFrom('runs').selectAll().where('id', '=', run_id))
  const [session] = yield* run(db.selectFrom('sessions').selectAll().where('id', '=', session_id))
  if (!row || !session) throw new Error(`Run ${run_id} of session ${session_id} has no row.`)
  const events = yield* runSql<StoredEvent>(
    `SELECT session_id, event_seq, at, run_id, loop_id, turn_id, type, data FROM events WHERE session_id = ? AND event_seq >= ? ORDER BY event_seq`,
    [session_id, row.first_seq],
  )
  const record = readRun(events)
  const [last] = yield* runSql<{ sequence: number | null }>(
    'SELECT max(sequence) AS sequence FROM turns WHERE session_id = ?',
    [session_id],
  )
  const nextSequence = Math.max(last?.sequence ?? -1, ...record.open.map(({ turn }) => turn.sequence)) + 1
  const turns = yield* loadTurns(engine, session_id, nextSequence)
  return { run: row, options: JSON.parse(row.options) as RunOptions, session, turns, record, nextSequence }
}

/** The conversation's newest turns, and every turn of sub-agents that may still be under way. */
function* loadTurns(engine: Engine, session_id: string, count: number): Work<StoredTurn[]> {
  const from = Math.max(0, Math.ceil((count - HISTORY_TURNS) / HISTORY_STEP) * HISTORY_STEP)
  const rows = yield* run(
    engine.db
      .selectFrom('turns')
      .select(['projection', 'messages'])
      .where('session_id', '=', session_id)
      .where('sequence', '>=', from)
      .orderBy('sequence'),
  )
  const turns = rows.map(storedTurn)
  // A conversation that begins in the middle begins with what a user said.
  const first = from === 0 ? 0 : turns.findIndex(({ turn }) => turn.role === 'user' && turn.loop_id === ROOT_LOOP)
  return turns.slice(Math.max(0, first))
}
