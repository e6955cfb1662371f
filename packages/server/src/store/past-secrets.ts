import { runSql, type Work } from './work.ts'

/** Of one session. Beyond this, the oldest are no longer looked for. */
const REMEMBERED = 500

/**
 * Variables that a session was given and has no more: those of a run that is over, and those that others took the place of.
 * Its history may show their values, so whatever leaves the server is searched for them. They are sealed, and used for nothing
 * else.
 */
export function* keepPastSecrets(session_id: string, sealed: string): Work<void> {
  yield* runSql('INSERT INTO past_secrets (session_id, at, sealed) VALUES (?, now_ms(), ?)', [session_id, sealed])
}

/** Everything that a session, its runs and its user's buckets were ever given, sealed as it was stored; the newest first. */
export function* sealedSecrets(session_id: string): Work<string[]> {
  const own = yield* runSql<{ sealed: string }>(
    `SELECT env AS sealed, 1 AS rank, 0 AS at FROM sessions WHERE id = ? AND env IS NOT NULL
      UNION ALL SELECT b.sealed, 1, 0 FROM env_buckets b JOIN sessions s ON s.user_id = b.user_id WHERE s.id = ?
      UNION ALL SELECT secrets, 2, 0 FROM runs WHERE session_id = ? AND secrets IS NOT NULL
      UNION ALL SELECT sealed, 3, at FROM past_secrets WHERE session_id = ?
      ORDER BY rank, at DESC LIMIT ?`,
    [session_id, session_id, session_id, session_id, REMEMBERED],
  )
  // Apart: neither pushes the other out.
  const ofUser = yield* runSql<{ sealed: string }>(
    'SELECT p.sealed FROM past_buckets p JOIN sessions s ON s.user_id = p.user_id WHERE s.id = ? ORDER BY p.id DESC',
    [session_id],
  )
  return [...own, ...ofUser].map(({ sealed }) => sealed)
}
