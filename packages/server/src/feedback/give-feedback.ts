import { AgentError } from '@parley/protocol'
import type { FeedbackValue, GivenFeedback } from '@parley/protocol/rest'
import { appendEvents } from '../store/append.ts'
import { type FeedbackRow, toTurnFeedback } from '../store/feedback-rows.ts'
import { databaseNow } from '../store/database-now.ts'
import { holdGate } from '../store/gate.ts'
import type { Journal } from '../store/journal.ts'
import { readStored } from '../store/stored-json.ts'
import { runSql, type Work } from '../store/work.ts'
import { toFeedback } from './list-feedback.ts'

export type Given = {
  session_id: string
  turn_id: string
  /** `subject`: of a visitor. */
  by: { user_id: string; subject?: string }
  value: FeedbackValue | null
  comment: string | null
}

type Row = Omit<FeedbackRow, 'subject'>

const COLUMNS = 'session_id, turn_id, user_id, value, comment, created_at, updated_at'
const THIS = 'session_id = ? AND turn_id = ?'

/**
 * Keeps what was said last of an answer, or nothing, and tells the session's readers: the row and `feedback:given` are one
 * transaction. What is said a second time changes nothing and is not told.
 */
export function* giveFeedback(given: Given, journal: Journal): Work<GivenFeedback> {
  const { session_id, turn_id, by, value, comment } = given
  yield* demandAnswer(session_id, turn_id)
  const subject = by.subject ?? null
  if (value === null) {
    const [gone] = yield* runSql<Row>(
      `DELETE FROM feedback WHERE ${THIS} RETURNING session_id, turn_id, user_id, value, created_at, now_ms() AS updated_at`,
      [session_id, turn_id],
    )
    if (gone) yield* tell({ ...gone, subject, value, comment: null }, journal)
    return { session_id, turn_id, value, comment: null }
  }
  const [before] = yield* runSql<Row>(`SELECT ${COLUMNS} FROM feedback WHERE ${THIS}`, [session_id, turn_id])
  if (before?.value === value && before.comment === comment) return toFeedback({ ...before, subject })
  const now = yield* databaseNow()
  const [row] = yield* runSql<Row>(
    `INSERT INTO feedback (session_id, turn_id, user_id, value, comment, created_at, updated_at)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (session_id, turn_id)
      DO UPDATE SET value = excluded.value, comment = excluded.comment, updated_at = excluded.updated_at
      RETURNING ${COLUMNS}`,
    [session_id, turn_id, by.user_id, value, comment, now, now],
  )
  yield* tell({ ...row!, subject }, journal)
  return toFeedback({ ...row!, subject })
}

/** The gate is taken first: no session is deleted while something is added to it, and who comes later is later. */
function* demandAnswer(session_id: string, turn_id: string): Work<void> {
  const gate = yield* holdGate(session_id)
  const [turn] = yield* runSql<{ projection: string }>(`SELECT projection FROM turns WHERE ${THIS}`, [
    session_id,
    turn_id,
  ])
  if (!gate || !turn)
    throw new AgentError('not_found', `Session ${session_id} has no finished turn ${turn_id}.`, {
      details: { session_id, turn_id },
    })
  const { role }: { role?: unknown } = readStored(turn.projection) ?? {}
  if (role !== 'assistant')
    throw new AgentError('invalid_payload', `Turn ${turn_id} is no answer.`, { details: { session_id, turn_id } })
}

type Told = Omit<FeedbackRow, 'value' | 'created_at'> & { value: FeedbackValue | null }

function* tell({ session_id, turn_id, ...said }: Told, journal: Journal): Work<void> {
  const data = JSON.stringify({ turn_id, ...toTurnFeedback(said) })
  // Of no turn, as the journal sees it: a turn's events are those that make it.
  const event = { type: 'feedback:given', data, run_id: null, loop_id: null, turn_id: null }
  yield* appendEvents(journal.appending(session_id, null, [event]))
}
