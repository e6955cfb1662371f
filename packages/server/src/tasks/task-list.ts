import type { Task } from '@parley/protocol'
import type { JsonObject } from '../ports.ts'
import type { EffectOutput } from '../store/effect.ts'
import { runSql, type Work } from '../store/work.ts'

/** A session's tasks, oldest first. */
export function* readTasks(session_id: string): Work<Task[]> {
  return yield* runSql<Task>(
    'SELECT id, title, description, status, created_at, updated_at FROM tasks WHERE session_id = ? ORDER BY created_at, id',
    [session_id],
  )
}

/** The whole list goes to everybody who watches, whatever changed in it. */
export function* tasksChanged(session_id: string, result: JsonObject): Work<EffectOutput> {
  const tasks = yield* readTasks(session_id)
  return { result, notices: [{ name: 'task:updated', payload: { tasks } }] }
}

export function* insertTask(session_id: string, task: Task): Work<void> {
  yield* runSql(
    'INSERT INTO tasks (session_id, id, title, description, status, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
    [session_id, task.id, task.title, task.description, task.status, task.created_at, task.updated_at],
  )
}
