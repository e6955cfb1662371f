import type { JsonObject } from '../../ports.ts'
import { runSql, type Work } from '../../store/work.ts'
import { readTasks } from './task-list.ts'

/** Steps of a plan are tasks with such an id, so that the plan follows the list. */
export const STEP_PREFIX = 'step_'

/** The plan's progress after one of its steps changed; `null` when the task is no step. */
export function* progressOf(session_id: string, task_id: string): Work<JsonObject | null> {
  if (!task_id.startsWith(STEP_PREFIX)) return null
  const steps = (yield* readTasks(session_id))
    .filter(({ id }) => id.startsWith(STEP_PREFIX))
    .map(({ id, title, status }) => ({ id, title, status }))
  const isDone = steps.every(({ status }) => status === 'completed' || status === 'cancelled')
  return { status: isDone ? 'completed' : 'in_progress', steps }
}

/** A new plan replaces the steps of the one before. */
export function* forgetSteps(session_id: string): Work<void> {
  yield* runSql(`DELETE FROM tasks WHERE session_id = ? AND id LIKE '${STEP_PREFIX}%'`, [session_id])
}
