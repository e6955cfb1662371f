import type { Engine } from './engine.ts'
import { dropDocuments } from './search-index.ts'
import { type Work, runSql } from './work.ts'

/** What a session owns, beside its row in `sessions`. A new table with a `session_id` belongs in this list. */
const OWNED = [
  'gates',
  'events',
  'turns',
  'runs',
  'commands',
  'confirmations',
  'tasks',
  'background_tasks',
  'feedback',
  'suggestions',
  'contents',
] as const

/** A session's journal starts with its gate row. */
export function* openGate(session_id: string): Work<void> {
  yield* runSql('INSERT INTO gates (session_id) VALUES (?)', [session_id])
}

/** The gate goes first: from here on every owner is fenced, and nobody can add to what is being deleted. */
export function* deleteSessionRows(engine: Engine, session_id: string): Work<boolean> {
  for (const table of OWNED) yield* runSql(`DELETE FROM ${table} WHERE session_id = ?`, [session_id])
  yield* dropDocuments(engine, 'session', session_id)
  const rows = yield* runSql('DELETE FROM sessions WHERE id = ? RETURNING id', [session_id])
  return rows.length > 0
}
