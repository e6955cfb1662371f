import { runSql, type Work } from './work.ts'

/** What a session's task list says is still to be done, oldest first. */
export function* openTasks(session_id: string): Work<string[]> {
  const rows = yield* runSql<{ title: string }>(
    "SELECT title FROM tasks WHERE session_id = ? AND status IN ('pending', 'in_progress') ORDER BY created_at, id",
    [session_id],
  )
  return rows.map(({ title }) => title)
}
