import type { TurnFeedback, FeedbackValue } from '@parley/protocol/rest'
import { runSql, type Work } from './work.ts'

export type FeedbackRow = {
  session_id: string
  turn_id: string
  user_id: string
  value: FeedbackValue
  comment: string | null
  created_at: number
  updated_at: number
  /** Of the visitor who said it. */
  subject: string | null
}

export type Condition = { sql: string; values: readonly (string | number)[] }

const FROM = 'FROM feedback f LEFT JOIN users u ON u.id = f.user_id'
const COLUMNS =
  'f.session_id, f.turn_id, f.user_id, f.value, f.comment, f.created_at, f.updated_at, u.external_id AS subject'

/** Rows that fit all conditions. */
export function selectFeedback(wanted: readonly Condition[], order = ''): Work<FeedbackRow[]> {
  return runSql<FeedbackRow>(`SELECT ${COLUMNS} ${FROM} ${where(wanted)} ${order}`, valuesOf(wanted))
}

export function* countFeedback(wanted: readonly Condition[]): Work<number> {
  const [count] = yield* runSql<{ n: number }>(`SELECT count(*) AS n ${FROM} ${where(wanted)}`, valuesOf(wanted))
  return count?.n ?? 0
}

/** What is thought of a session's answers, by their turns. */
export function* feedbackByTurn(session_id: string): Work<Map<string, TurnFeedback>> {
  const rows = yield* selectFeedback([{ sql: 'f.session_id = ?', values: [session_id] }])
  return new Map(rows.map((row) => [row.turn_id, toTurnFeedback(row)]))
}

type Said = Pick<FeedbackRow, 'comment' | 'user_id' | 'subject' | 'updated_at'>

/** As clients see it; `value: null` of what was taken back. */
export function toTurnFeedback<Value>({ value, comment, user_id, subject, updated_at }: Said & { value: Value }) {
  return {
    value,
    comment,
    user_id,
    ...(subject !== null && { subject }),
    updated_at: new Date(updated_at).toISOString(),
  }
}

const where = (wanted: readonly Condition[]): string => `WHERE ${wanted.map(({ sql }) => sql).join(' AND ')}`
const valuesOf = (wanted: readonly Condition[]): (string | number)[] => wanted.flatMap(({ values }) => values)
