import { runSql, type Work } from './work.ts'

/** Goes into the transaction that changes a session: its user's programs are told to look once it has committed. */
export function* tellOfSession(user_id: string, session_id: string, { inbox = false } = {}): Work<void> {
  yield { changed: { user_id, session_id, inbox } }
}

/** The same for what waits for a person: that of visitors waits for their account, too. */
export function* tellOfInbox(user_id: string | null, session_id: string): Work<void> {
  if (user_id === null) return
  yield* tellOfSession(user_id, session_id, { inbox: true })
  const [user] = yield* runSql<{ account_id: string | null }>('SELECT account_id FROM users WHERE id = ?', [user_id])
  if (user?.account_id) yield { changed: { user_id: user.account_id, session_id: null, inbox: true } }
}
