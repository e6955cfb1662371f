import { runSql, type Work } from './work.ts'

/** What a user's client calls a session, or a run; `kind` names the protocol whose client it is. */
export type Alias = { user_id: string; kind: string; external_id: string }

/** What it stands for. */
export type Named = { session_id: string; run_id: string | null }

export function* findAlias({ user_id, kind, external_id }: Alias): Work<Named | undefined> {
  const [found] = yield* runSql<Named>(
    'SELECT session_id, run_id FROM aliases WHERE user_id = ? AND kind = ? AND external_id = ?',
    [user_id, kind, external_id],
  )
  return found
}

/** Goes into the transaction that makes what it names. `false`: it stands for something already, and nothing was changed. */
export function* storeAlias({ user_id, kind, external_id }: Alias, { session_id, run_id }: Named): Work<boolean> {
  const stored = yield* runSql(
    `INSERT INTO aliases (user_id, kind, external_id, session_id, run_id, at) VALUES (?, ?, ?, ?, ?, now_ms())
      ON CONFLICT DO NOTHING RETURNING session_id`,
    [user_id, kind, external_id, session_id, run_id],
  )
  return stored.length > 0
}
