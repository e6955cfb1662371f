import { AgentError } from '@parley/protocol'
import type { Feedback, FeedbackPage, FeedbackValue, GivenFeedback } from '@parley/protocol/rest'
import { holdGate } from '../store/gate.ts'
import { readStored } from '../store/stored-json.ts'
import { runSql, type Work } from '../store/work.ts'

type FeedbackRow = {
  session_id: string
  turn_id: string
  value: FeedbackValue
  comment: string | null
  created_at: number
  updated_at: number
}

const COLUMNS = 'session_id, turn_id, value, comment, created_at, updated_at'

type Given = { session_id: string; turn_id: string; user_id: string; value: FeedbackValue | null; comment?: string }

/** Keeps what was said last of an answer, or nothing. */
export function* giveFeedback({ session_id, turn_id, user_id, value, comment }: Given): Work<GivenFeedback> {
  yield* demandAnswer(session_id, turn_id)
  if (value === null) {
    yield* runSql('DELETE FROM feedback WHERE session_id = ? AND turn_id = ?', [session_id, turn_id])
    return { session_id, turn_id, value, comment: null }
  }
  const [row] = yield* runSql<FeedbackRow>(
    `INSERT INTO feedback (session_id, turn_id, user_id, value, comment, created_at, updated_at)
      VALUES (?, ?, ?, ?, ?, now_ms(), now_ms())
      ON CONFLICT (session_id, turn_id)
      DO UPDATE SET value = excluded.value, comment = excluded.comment, updated_at = excluded.updated_at
      RETURNING ${COLUMNS}`,
    [session_id, turn_id, user_id, value, comment ?? null],
  )
  return toFeedback(row!)
}

/** All of one session, in no order. */
export function* feedbackIn(session_id: string): Work<Feedback[]> {
  const rows = yield* runSql<FeedbackRow>(`SELECT ${COLUMNS} FROM feedback WHERE session_id = ?`, [session_id])
  return rows.map(toFeedback)
}

export type FeedbackFilter = {
  session_id?: string | undefined
  value?: FeedbackValue | undefined
  /** One visitor's. */
  subject?: string | undefined
  limit: number
  cursor?: string | undefined
}

/**
 * What the people of an account and its visitors have said, the newest first. When it was said first decides, so that no
 * page moves under its reader.
 */
export function* listFeedback(account_id: string, filter: FeedbackFilter): Work<FeedbackPage> {
  const { session_id, value, subject, limit, cursor } = filter
  const wanted: Condition[] = [
    { sql: '(f.user_id = ? OR u.account_id = ?)', values: [account_id, account_id] },
    ...(session_id === undefined ? [] : [{ sql: 'f.session_id = ?', values: [session_id] }]),
    ...(value === undefined ? [] : [{ sql: 'f.value = ?', values: [value] }]),
    ...(subject === undefined ? [] : [{ sql: 'u.external_id = ?', values: [subject] }]),
  ]
  const [count] = yield* select<{ n: number }>('count(*) AS n', wanted)
  const rows = yield* select<FeedbackRow & { subject: string | null }>(
    'f.session_id, f.turn_id, f.value, f.comment, f.created_at, f.updated_at, u.external_id AS subject',
    [...wanted, ...olderThan(cursor)],
    `ORDER BY f.created_at DESC, f.turn_id DESC LIMIT ${limit + 1}`,
  )
  const page = rows.slice(0, limit)
  const last = rows.length > limit ? page.at(-1) : undefined
  return {
    items: page.map(({ subject, ...row }) => ({ ...toFeedback(row), ...(subject !== null && { subject }) })),
    total: count?.n ?? 0,
    next_cursor: last ? `${last.created_at}.${last.turn_id}` : null,
  }
}

type Condition = { sql: string; values: (string | number)[] }

function* select<Row>(columns: string, wanted: readonly Condition[], order = ''): Work<Row[]> {
  return yield* runSql<Row>(
    `SELECT ${columns} FROM feedback f LEFT JOIN users u ON u.id = f.user_id
      WHERE ${wanted.map(({ sql }) => sql).join(' AND ')} ${order}`,
    wanted.flatMap(({ values }) => values),
  )
}

/** The gate is taken first: no session is deleted while something is added to it. */
function* demandAnswer(session_id: string, turn_id: string): Work<void> {
  const gate = yield* holdGate(session_id)
  const [turn] = yield* runSql<{ projection: string }>(
    'SELECT projection FROM turns WHERE session_id = ? AND turn_id = ?',
    [session_id, turn_id],
  )
  if (!gate || !turn)
    throw new AgentError('not_found', `Session ${session_id} has no finished turn ${turn_id}.`, {
      details: { session_id, turn_id },
    })
  const { role }: { role?: unknown } = readStored(turn.projection) ?? {}
  if (role !== 'assistant')
    throw new AgentError('invalid_payload', `Turn ${turn_id} is no answer.`, { details: { session_id, turn_id } })
}

function olderThan(cursor: string | undefined): Condition[] {
  if (cursor === undefined) return []
  const [, at, turn_id] = /^(\d{1,15})\.([\w-]+)$/.exec(cursor) ?? []
  if (turn_id === undefined) throw new AgentError('invalid_payload', 'cursor: not one that a page has given.')
  return [
    { sql: '(f.created_at < ? OR (f.created_at = ? AND f.turn_id < ?))', values: [Number(at), Number(at), turn_id] },
  ]
}

function toFeedback({ created_at, updated_at, ...row }: FeedbackRow): Feedback {
  return { ...row, created_at: new Date(created_at).toISOString(), updated_at: new Date(updated_at).toISOString() }
}
