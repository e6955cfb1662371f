import type { Mode, SessionStatus } from '@parley/protocol'
import { tellOfSession } from './account-changes.ts'
import type { Engine } from './engine.ts'
import { dropDocuments } from './search-index.ts'
import { type Work, runSql } from './work.ts'

/** What a session owns beside its row in `sessions`. Features name tables of their own. */
export const CORE_TABLES = [
  'gates',
  'events',
  'turns',
  'runs',
  'commands',
  'confirmations',
  'contents',
  'compactions',
  'branches',
  'aliases',
  'past_secrets',
] as const

type Owned = { user_id: string }

export function* setSessionStatus(id: string, status: SessionStatus, updated_at: string): Work<void> {
  const changed = yield* runSql<Owned>(
    'UPDATE sessions SET status = ?, updated_at = ? WHERE id = ? RETURNING user_id',
    [status, updated_at, id],
  )
  // A question may have come up with it, or be answered.
  for (const { user_id } of changed) yield* tellOfSession(user_id, id, { inbox: true })
}

/** Keeps its place among those that are pinned, or not: nothing has happened in it. */
export function* setPinned(id: string, isPinned: boolean): Work<void> {
  const changed = yield* runSql<Owned>('UPDATE sessions SET is_pinned = ? WHERE id = ? RETURNING user_id', [
    isPinned ? 1 : 0,
    id,
  ])
  for (const { user_id } of changed) yield* tellOfSession(user_id, id)
}

export function* setMemoryEnabled(id: string, isEnabled: boolean): Work<void> {
  yield* runSql('UPDATE sessions SET memory_enabled = ? WHERE id = ?', [isEnabled ? 1 : 0, id])
}

/** `null`: none. Sealed by its caller. */
export function* setEnvironment(id: string, sealed: string | null): Work<void> {
  yield* runSql('UPDATE sessions SET env = ? WHERE id = ?', [sealed, id])
}

type RunningSession = { id: string; mode: Mode; model: string; updated_at: string }

/** With what its new run was asked for: the next one goes on with that. */
export function* setSessionRunning({ id, mode, model, updated_at }: RunningSession): Work<void> {
  const status = 'running' satisfies SessionStatus
  const changed = yield* runSql<Owned>(
    'UPDATE sessions SET status = ?, mode = ?, model = ?, updated_at = ? WHERE id = ? RETURNING user_id',
    [status, mode, model, updated_at, id],
  )
  for (const { user_id } of changed) yield* tellOfSession(user_id, id, { inbox: true })
}

/**
 * With what `tables` of features hold of it. The gate goes first: from here on every owner is fenced, and nobody can add to
 * what is being deleted.
 */
export function* deleteSessionRows(engine: Engine, session_id: string, tables: readonly string[]): Work<boolean> {
  for (const table of [...CORE_TABLES, ...tables])
    yield* runSql(`DELETE FROM ${table} WHERE session_id = ?`, [session_id])
  yield* dropDocuments(engine, 'session', session_id)
  const deleted = yield* runSql<Owned>('DELETE FROM sessions WHERE id = ? RETURNING user_id', [session_id])
  for (const { user_id } of deleted) yield* tellOfSession(user_id, session_id, { inbox: true })
  return deleted.length > 0
}
