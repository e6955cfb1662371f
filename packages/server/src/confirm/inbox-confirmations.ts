import type { AskReason, FileChange, InboxConfirmation } from '@parley/protocol/rest'
import { readStored } from '../store/stored-json.ts'
import { runSql, type Work } from '../store/work.ts'
import { COLUMNS, IN_INBOX, type ListedConfirmation, PEOPLE, toConfirmation } from './confirmations.ts'

type Row = ListedConfirmation & { intent: string | null }

/** How many that wait are shown, the most urgent first; nobody decides more at once. */
const MAX_WAITING = 500
const MAX_DECIDED = 50

const INTENT = '(SELECT intent FROM sessions WHERE sessions.id = confirmations.session_id) AS intent'
const SELECT = `SELECT ${COLUMNS}, ${PEOPLE}, ${INTENT} FROM confirmations WHERE ${IN_INBOX}`

/** The one that expires soonest first. */
export function* waitingConfirmations(user_id: string): Work<InboxConfirmation[]> {
  const rows = yield* runSql<Row>(`${SELECT} AND status = 'pending' ORDER BY expires_at, id LIMIT ?`, [
    user_id,
    user_id,
    MAX_WAITING,
  ])
  return rows.map(inInbox)
}

type Decided = { outcome: string | undefined; decided_by: string | undefined }

/** The last ones, the newest first. */
export function* decidedConfirmations(user_id: string, { outcome, decided_by }: Decided): Work<InboxConfirmation[]> {
  const byOutcome = outcome === undefined ? " AND status <> 'pending'" : ' AND status = ?'
  const byPerson = decided_by === undefined ? '' : ' AND decided_by = ?'
  const rows = yield* runSql<Row>(`${SELECT}${byOutcome}${byPerson} ORDER BY decided_at DESC, id LIMIT ?`, [
    ...[user_id, user_id, outcome, decided_by].filter((value) => value !== undefined),
    MAX_DECIDED,
  ])
  return rows.map(inInbox)
}

/** Whatever became of it. */
export function* confirmationInInbox(user_id: string, id: string): Work<InboxConfirmation | undefined> {
  const [row] = yield* runSql<Row>(`${SELECT} AND id = ?`, [user_id, user_id, id])
  return row && inInbox(row)
}

function inInbox(row: Row): InboxConfirmation {
  const { run_id, intent, tool_name, display_name, asked_after, why, change } = row
  return {
    kind: 'confirmation',
    ...toConfirmation(row),
    run_id,
    intent: intent ?? '',
    display_name: display_name ?? tool_name,
    asked_after: asked_after ?? '',
    reason: why === null ? null : ((readStored(why) as AskReason | undefined) ?? null),
    change: change === null ? null : ((readStored(change) as FileChange | undefined) ?? null),
  }
}
