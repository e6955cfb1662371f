import { AgentError } from '@parley/protocol'
import type { Share } from '@parley/protocol/rest'
import { databaseNow } from '../store/database-now.ts'
import { runSql, type Work } from '../store/work.ts'

export type ShareRow = { id: string; session_id: string; hash: string; created_at: number; expires_at: number | null }

/** Links that one session may have at a time. */
const MAX_SHARES = 100

const COLUMNS = 'id, session_id, hash, created_at, expires_at'
const IS_GOOD = '(expires_at IS NULL OR expires_at > now_ms())'

/** Makes a link, and room for it: those that have run out go. */
export function* insertShare(
  { id, session_id, hash }: Pick<ShareRow, 'id' | 'session_id' | 'hash'>,
  ttlMs: number | null,
): Work<ShareRow> {
  yield* runSql(`DELETE FROM shares WHERE session_id = ? AND NOT ${IS_GOOD}`, [session_id])
  const known = yield* sharesOf(session_id)
  if (known.length >= MAX_SHARES)
    throw new AgentError('already_exists', `The session has ${MAX_SHARES} links already. Revoke some of them first.`)
  const now = yield* databaseNow()
  const [row] = yield* runSql<ShareRow>(`INSERT INTO shares (${COLUMNS}) VALUES (?, ?, ?, ?, ?) RETURNING ${COLUMNS}`, [
    id,
    session_id,
    hash,
    now,
    ttlMs === null ? null : now + ttlMs,
  ])
  return row!
}

/** Those that work, the newest first. */
export function* sharesOf(session_id: string): Work<ShareRow[]> {
  return yield* runSql<ShareRow>(
    `SELECT ${COLUMNS} FROM shares WHERE session_id = ? AND ${IS_GOOD} ORDER BY created_at DESC, id`,
    [session_id],
  )
}

/** With whose session it is, and what that is called. */
export type FoundShare = Pick<ShareRow, 'session_id' | 'hash'> & { user_id: string; intent: string }

/** A link that works, of a session that is shared. */
export function* findShare(id: string): Work<FoundShare | undefined> {
  const [row] = yield* runSql<FoundShare>(
    `SELECT shares.session_id, hash, user_id, intent FROM shares JOIN sessions ON sessions.id = shares.session_id
      WHERE shares.id = ? AND sessions.shared = 1 AND ${IS_GOOD}`,
    [id],
  )
  return row
}

/** `false`: the session has no such link. */
export function* deleteShare(session_id: string, id: string): Work<boolean> {
  const rows = yield* runSql('DELETE FROM shares WHERE session_id = ? AND id = ? RETURNING id', [session_id, id])
  return rows.length > 0
}

/** Switched off, all links are gone for good: one that comes back would surprise whoever has ended it. */
export function* setShared(session_id: string, isShared: boolean): Work<void> {
  if (!isShared) yield* runSql('DELETE FROM shares WHERE session_id = ?', [session_id])
  yield* runSql('UPDATE sessions SET shared = ? WHERE id = ?', [isShared ? 1 : 0, session_id])
}

export function toShare({ id, created_at, expires_at }: ShareRow): Share {
  return { id, created_at: isoTime(created_at), expires_at: expires_at === null ? null : isoTime(expires_at) }
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}
