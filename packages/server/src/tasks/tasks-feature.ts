import type { Feature, World } from '../feature.ts'
import type { ToolDefinition } from '../tools/define-tool.ts'
import { submitPlan } from './submit-plan.ts'
import { taskRoutes } from './task-routes.ts'
import { taskCreate, taskList, taskUpdate } from './task-tools.ts'

export const taskTools: readonly ToolDefinition[] = [taskCreate, taskUpdate, taskList, submitPlan]

/** The list of what an agent has to do, and plans, whose steps are tasks. */
export function tasksFeature({ engine }: Pick<World, 'engine'>): Feature {
  return {
    name: 'tasks',
    tools: taskTools,
    routes: (scope, sessions) => taskRoutes(scope, { engine, sessions }),
    tables: ['tasks'],
  }
}
