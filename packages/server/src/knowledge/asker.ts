import { runSql, type Work } from '../store/work.ts'
import type { Asker } from './collections.ts'

/** On whose behalf a session asks: its user's account, its agent, and its visitor if it is one's. */
export function* askerIn({ user_id, agent }: { user_id: string; agent: string | null }): Work<Asker> {
  const [user] = yield* runSql<{ account_id: string | null; external_id: string | null }>(
    'SELECT account_id, external_id FROM users WHERE id = ?',
    [user_id],
  )
  return { account_id: user?.account_id ?? user_id, agent, subject: user?.external_id ?? null }
}

/** The same, of a session that is known by its id. */
export function* askerOf(session_id: string): Work<Asker | undefined> {
  const [session] = yield* runSql<{ user_id: string; agent: string | null }>(
    'SELECT user_id, agent FROM sessions WHERE id = ?',
    [session_id],
  )
  return session && (yield* askerIn(session))
}
