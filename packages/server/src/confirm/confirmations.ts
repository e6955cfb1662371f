import { type Confirmation, parseArguments, type Risk } from '@parley/protocol'
import type { Selectable } from 'kysely'
import { tellOfInbox } from '../store/account-changes.ts'
import { recordAudit } from '../store/audit.ts'
import type { Schema } from '../store/schema.ts'
import { runSql, type Work } from '../store/work.ts'

/** The visitor whose session it is, and what people call whoever decided. */
export const PEOPLE = `(SELECT external_id FROM users WHERE users.id = confirmations.user_id) AS subject,
  (SELECT coalesce(display_name, username) FROM users WHERE users.id = confirmations.decided_by) AS decided_by_name`

/** A confirmation is one row, decided by one update on whatever path; the question that shows it has no state of its own. */
export type ConfirmationRow = Selectable<Schema['confirmations']>

export type NewConfirmation = Pick<
  ConfirmationRow,
  | 'id'
  | 'session_id'
  | 'run_id'
  | 'turn_id'
  | 'loop_id'
  | 'tool_call_id'
  | 'tool_name'
  | 'arguments'
  | 'risk'
  | 'preview'
  | 'digest'
  | 'expires_at'
  | 'question_id'
  | 'user_id'
  | 'display_name'
  | 'asked_after'
  | 'why'
  | 'change'
>

/** With the visitor whose session it is, and what people call whoever decided. */
export type ListedConfirmation = ConfirmationRow & { subject: string | null; decided_by_name: string | null }

export const COLUMNS = `id, session_id, run_id, turn_id, loop_id, tool_call_id, tool_name, arguments, edited_arguments, risk, preview,
  digest, status, expires_at, created_at, decided_at, decided_by, question_id, user_id, display_name, asked_after, why, change,
  decision_reason`

/** C7. Goes into the transaction that stores the question. */
export function* requestConfirmation(asked: NewConfirmation): Work<void> {
  yield* runSql(
    `INSERT INTO confirmations (id, session_id, run_id, turn_id, loop_id, tool_call_id, tool_name, arguments, risk, preview,
      digest, status, expires_at, created_at, question_id, user_id, display_name, asked_after, why, change)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending', ?, now_ms(), ?, ?, ?, ?, ?, ?)`,
    [
      asked.id,
      asked.session_id,
      asked.run_id,
      asked.turn_id,
      asked.loop_id,
      asked.tool_call_id,
      asked.tool_name,
      asked.arguments,
      asked.risk,
      asked.preview,
      asked.digest,
      asked.expires_at,
      asked.question_id,
      asked.user_id,
      asked.display_name,
      asked.asked_after,
      asked.why,
      asked.change,
    ],
  )
  yield* tellOfInbox(asked.user_id, asked.session_id)
  yield* recordAudit({
    actor: asked.user_id ?? 'system',
    action: 'confirmation.request',
    subject: asked.id,
    detail: `${asked.tool_name} ${asked.digest}`,
  })
}

type NewDecision = {
  decision: 'approved' | 'rejected'
  decided_by: string
  edited_arguments: string | null
  decision_reason: string | null
}

/** C8: one winner on every path. `undefined`: it was decided before, or its time is over. */
export function* decideConfirmation(
  { id, digest }: Pick<ConfirmationRow, 'id' | 'digest'>,
  { decision, decided_by, edited_arguments, decision_reason }: NewDecision,
): Work<ConfirmationRow | undefined> {
  const [row] = yield* runSql<ConfirmationRow>(
    `UPDATE confirmations SET status = ?, decided_at = now_ms(), decided_by = ?, edited_arguments = ?, decision_reason = ?
      WHERE id = ? AND status = 'pending' AND expires_at > now_ms() AND digest = ? RETURNING ${COLUMNS}`,
    [decision, decided_by, edited_arguments, decision_reason, id, digest],
  )
  if (row) yield* audited(row, decision === 'approved' ? 'approve' : 'reject', decided_by)
  return row
}

/** The same update with the condition reversed. */
export function* expireConfirmation(id: string): Work<ConfirmationRow | undefined> {
  const [row] = yield* runSql<ConfirmationRow>(
    `UPDATE confirmations SET status = 'expired', decided_at = now_ms()
      WHERE id = ? AND status = 'pending' AND expires_at <= now_ms() RETURNING ${COLUMNS}`,
    [id],
  )
  if (row) yield* audited(row, 'expire', 'system')
  return row
}

/** Whatever a session waits for consent to will not run any more. */
export function* withdrawConfirmations(session_id: string, actor: string): Work<void> {
  const rows = yield* runSql<ConfirmationRow>(
    `UPDATE confirmations SET status = 'withdrawn', decided_at = now_ms(), decided_by = ?
      WHERE session_id = ? AND status = 'pending' RETURNING ${COLUMNS}`,
    [actor, session_id],
  )
  for (const row of rows) yield* audited(row, 'withdraw', actor)
}

export function* findConfirmation(session_id: string, question_id: string): Work<ListedConfirmation | undefined> {
  const [row] = yield* runSql<ListedConfirmation>(
    `SELECT ${COLUMNS}, ${PEOPLE} FROM confirmations WHERE session_id = ? AND question_id = ?`,
    [session_id, question_id],
  )
  return row
}

/** The newest of each call of these turns. */
export function* confirmationsOf(session_id: string, turn_ids: readonly string[]): Work<Map<string, ConfirmationRow>> {
  if (turn_ids.length === 0) return new Map()
  const rows = yield* runSql<ConfirmationRow>(
    `SELECT ${COLUMNS} FROM confirmations WHERE session_id = ? AND turn_id IN (${turn_ids.map(() => '?').join(', ')}) ORDER BY created_at`,
    [session_id, ...turn_ids],
  )
  return new Map(rows.map((row) => [row.tool_call_id, row]))
}

export function* dueConfirmations(limit: number): Work<{ id: string; session_id: string }[]> {
  return yield* runSql<{ id: string; session_id: string }>(
    "SELECT id, session_id FROM confirmations WHERE status = 'pending' AND expires_at <= now_ms() ORDER BY expires_at LIMIT ?",
    [limit],
  )
}

/** A user's own, and those of their visitors: what nobody else may decide comes to the account. */
export const IN_INBOX = '(user_id = ? OR user_id IN (SELECT id FROM users WHERE account_id = ?))'

export function* confirmationOf(user_id: string, id: string): Work<ListedConfirmation | undefined> {
  const [row] = yield* runSql<ListedConfirmation>(
    `SELECT ${COLUMNS}, ${PEOPLE} FROM confirmations WHERE id = ? AND ${IN_INBOX}`,
    [id, user_id, user_id],
  )
  return row
}

/** The newest first. */
export function* listConfirmations(
  user_id: string,
  { status, limit, offset }: { status: string | undefined; limit: number; offset: number },
): Work<{ items: Confirmation[]; total: number }> {
  const where = `${IN_INBOX}${status === undefined ? '' : ' AND status = ?'}`
  const values = status === undefined ? [user_id, user_id] : [user_id, user_id, status]
  const [count] = yield* runSql<{ n: number }>(`SELECT count(*) AS n FROM confirmations WHERE ${where}`, values)
  const rows = yield* runSql<ListedConfirmation>(
    `SELECT ${COLUMNS}, ${PEOPLE} FROM confirmations WHERE ${where} ORDER BY created_at DESC, id LIMIT ? OFFSET ?`,
    [...values, limit, offset],
  )
  return { items: rows.map(toConfirmation), total: count?.n ?? 0 }
}

export function toConfirmation(row: ListedConfirmation): Confirmation {
  return {
    id: row.id,
    session_id: row.session_id,
    subject: row.subject,
    turn_id: row.turn_id,
    loop_id: row.loop_id,
    tool_call_id: row.tool_call_id,
    tool_name: row.tool_name,
    arguments: parseArguments(row.arguments),
    risk: row.risk as Risk,
    preview: row.preview ?? '',
    digest: row.digest,
    status: row.status,
    expires_at: new Date(row.expires_at).toISOString(),
    created_at: new Date(row.created_at).toISOString(),
    decided_at: row.decided_at === null ? null : new Date(row.decided_at).toISOString(),
    decided_by: row.decided_by,
    decided_by_name: row.decided_by_name,
    decision_reason: row.decision_reason,
    edited_arguments: row.edited_arguments === null ? null : parseArguments(row.edited_arguments),
  }
}

/** Put on record, and told to whoever may have it before their eyes. */
function* audited(row: ConfirmationRow, what: 'approve' | 'reject' | 'expire' | 'withdraw', actor: string): Work<void> {
  const edited = row.edited_arguments === null ? '' : ', arguments changed'
  yield* recordAudit({
    actor,
    action: `confirmation.${what}`,
    subject: row.id,
    detail: `${row.tool_name} ${row.digest}${edited}`,
  })
  yield* tellOfInbox(row.user_id, row.session_id)
}
