import type { Task } from '@parley/protocol'
import { readStored } from './stored-json.ts'
import { runSql, type Work } from './work.ts'

/** A session's tasks, oldest first. */
export function* readTasks(session_id: string): Work<Task[]> {
  return yield* runSql<Task>(
    'SELECT id, title, description, status, created_at, updated_at FROM tasks WHERE session_id = ? ORDER BY created_at, id',
    [session_id],
  )
}

export function* insertTask(session_id: string, task: Task): Work<void> {
  yield* runSql(
    'INSERT INTO tasks (session_id, id, title, description, status, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
    [session_id, task.id, task.title, task.description, task.status, task.created_at, task.updated_at],
  )
}

/** What a session's task list says is still to be done, oldest first. */
export function* openTasks(session_id: string): Work<string[]> {
  const rows = yield* runSql<{ title: string }>(
    "SELECT title FROM tasks WHERE session_id = ? AND status IN ('pending', 'in_progress') ORDER BY created_at, id",
    [session_id],
  )
  return rows.map(({ title }) => title)
}

/** The list becomes what the runs of the active branch have left of it; `undefined` when it is that already. */
export function* tasksOfBranch(session_id: string): Work<Task[] | undefined> {
  const [last] = yield* runSql<{ data: string }>(
    `SELECT data FROM events WHERE session_id = ? AND type = 'task:updated'
      AND run_id IN (SELECT run_id FROM turns WHERE session_id = ? AND deprecated = 0) ORDER BY event_seq DESC LIMIT 1`,
    [session_id, session_id],
  )
  const { tasks = [] }: { tasks?: Task[] } = last ? (readStored(last.data) ?? {}) : {}
  if (JSON.stringify(tasks) === JSON.stringify(yield* readTasks(session_id))) return undefined
  yield* runSql('DELETE FROM tasks WHERE session_id = ?', [session_id])
  for (const task of tasks) yield* insertTask(session_id, task)
  return tasks
}
