import { type Work, runSql } from './work.ts'

/** Something asked of a run that another instance may own: stored before it is acknowledged, applied once by the owner. */
export type Command = { session_id: string; id: string; kind: string; data: string; at: number }

// Grows with every command of a session, also within a millisecond: it is the order in which they are applied.
const NEXT_AT =
  '(SELECT CASE WHEN max(at) >= now_ms() THEN max(at) + 1 ELSE now_ms() END FROM commands WHERE session_id = ?)'

/** Stores a command. The same id again is the same command: `false`, and nothing changes. */
export function* storeCommand({ session_id, id, kind, data }: Omit<Command, 'at'>): Work<boolean> {
  const rows = yield* runSql(
    `INSERT INTO commands (session_id, id, kind, data, at) VALUES (?, ?, ?, ?, ${NEXT_AT})
      ON CONFLICT (session_id, id) DO NOTHING RETURNING id`,
    [session_id, id, kind, data, session_id],
  )
  return rows.length > 0
}

export function* hasCommand(session_id: string, id: string): Work<boolean> {
  const rows = yield* runSql('SELECT id FROM commands WHERE session_id = ? AND id = ?', [session_id, id])
  return rows.length > 0
}

/** Their data, applied or not. */
export function* commandsOfKind(session_id: string, kind: string): Work<string[]> {
  const rows = yield* runSql<{ data: string }>('SELECT data FROM commands WHERE session_id = ? AND kind = ?', [
    session_id,
    kind,
  ])
  return rows.map(({ data }) => data)
}

export function* dropApplied(session_id: string): Work<void> {
  yield* runSql('DELETE FROM commands WHERE session_id = ? AND applied_at IS NOT NULL', [session_id])
}

export function* pendingCommands(session_id: string): Work<Command[]> {
  return yield* runSql<Command>(
    'SELECT session_id, id, kind, data, at FROM commands WHERE session_id = ? AND applied_at IS NULL ORDER BY at, id',
    [session_id],
  )
}

export function* countPending(session_id: string): Work<number> {
  const [pending] = yield* runSql<{ n: number }>(
    'SELECT count(*) AS n FROM commands WHERE session_id = ? AND applied_at IS NULL',
    [session_id],
  )
  return pending?.n ?? 0
}

/** Marks a command as applied; `false` when it was before. Goes into the transaction that holds its effect. */
export function* applyCommand(session_id: string, id: string): Work<boolean> {
  const rows = yield* runSql(
    'UPDATE commands SET applied_at = now_ms() WHERE session_id = ? AND id = ? AND applied_at IS NULL RETURNING id',
    [session_id, id],
  )
  return rows.length > 0
}
