import type { JsonObject } from '../ports.ts'
import type { EffectOutput } from '../store/effect.ts'
import { readTasks } from '../store/task-rows.ts'
import type { Work } from '../store/work.ts'

/** The whole list goes to everybody who watches, whatever changed in it. */
export function* tasksChanged(session_id: string, result: JsonObject): Work<EffectOutput> {
  const tasks = yield* readTasks(session_id)
  return { result, notices: [{ name: 'task:updated', payload: { tasks } }] }
}
