import { AgentError } from '@parley/protocol'
import type { Feedback, FeedbackPage, FeedbackValue } from '@parley/protocol/rest'
import {
  type Condition,
  countFeedback,
  type FeedbackRow,
  selectFeedback,
  toTurnFeedback,
} from '../store/feedback-rows.ts'
import type { Work } from '../store/work.ts'

export type FeedbackFilter = {
  session_id?: string | undefined
  value?: FeedbackValue | undefined
  commented?: boolean | undefined
  /** One visitor's. */
  subject?: string | undefined
  from?: string | undefined
  to?: string | undefined
  cursor?: string | undefined
  /** Without one it is all. */
  limit?: number | undefined
}

/** Of one session, the newest first. */
export function feedbackIn(session_id: string, filter: FeedbackFilter): Work<FeedbackPage> {
  return readPage([], { ...filter, session_id })
}

/** What the people of an account and its visitors have said, the newest first. */
export function feedbackOf(account_id: string, filter: FeedbackFilter): Work<FeedbackPage> {
  return readPage([{ sql: '(f.user_id = ? OR u.account_id = ?)', values: [account_id, account_id] }], filter)
}

/** When it was said first decides, so that no page moves under its reader. */
function* readPage(whose: readonly Condition[], filter: FeedbackFilter): Work<FeedbackPage> {
  const { cursor, limit } = filter
  const wanted = [...whose, ...conditionsOf(filter)]
  const total = yield* countFeedback(wanted)
  const rows = yield* selectFeedback(
    [...wanted, ...(cursor === undefined ? [] : [olderThan(cursor)])],
    `ORDER BY f.created_at DESC, f.turn_id DESC ${limit === undefined ? '' : `LIMIT ${limit + 1}`}`,
  )
  const page = rows.slice(0, limit)
  const last = rows.length > page.length ? page.at(-1) : undefined
  return { items: page.map(toFeedback), total, next_cursor: last ? `${last.created_at}.${last.turn_id}` : null }
}

function conditionsOf({ session_id, value, commented, subject, from, to }: FeedbackFilter): Condition[] {
  return [
    ...(session_id === undefined ? [] : [{ sql: 'f.session_id = ?', values: [session_id] }]),
    ...(value === undefined ? [] : [{ sql: 'f.value = ?', values: [value] }]),
    ...(commented === undefined ? [] : [{ sql: `f.comment IS ${commented ? 'NOT ' : ''}NULL`, values: [] }]),
    ...(subject === undefined ? [] : [{ sql: 'u.external_id = ?', values: [subject] }]),
    ...(from === undefined ? [] : [{ sql: 'f.created_at >= ?', values: [Date.parse(from)] }]),
    ...(to === undefined ? [] : [{ sql: 'f.created_at < ?', values: [Date.parse(to)] }]),
  ]
}

function olderThan(cursor: string): Condition {
  const [, at, turn_id] = /^(\d{1,15})\.([\w-]+)$/.exec(cursor) ?? []
  if (turn_id === undefined) throw new AgentError('invalid_payload', 'cursor: not one that a page has given.')
  return {
    sql: '(f.created_at < ? OR (f.created_at = ? AND f.turn_id < ?))',
    values: [Number(at), Number(at), turn_id],
  }
}

export function toFeedback(row: FeedbackRow): Feedback {
  const { session_id, turn_id, created_at } = row
  return { session_id, turn_id, ...toTurnFeedback(row), created_at: new Date(created_at).toISOString() }
}
