import type { PlanStatus, Task, TurnProjection } from '@parley/protocol'
import type { JsonObject } from '../ports.ts'
import { readStored } from '../store/stored-json.ts'
import { runSql, type Work } from '../store/work.ts'
import { readTasks } from '../store/task-rows.ts'

/**
 * A plan's way, each station a `plan_status` block that names the plan:
 *
 *   proposed ──▶ approved ──▶ in_progress ──▶ completed
 *       └──────▶ rejected      by its steps, which are tasks
 *
 * SubmitPlan proposes, and rejects what was proposed before; a message in executing mode approves; `plan_decision`
 * rejects.
 */
const STEP = /^step_([0-9a-f]+)_\d+$/
/** How far back a plan is looked for. */
const PLAN_TURNS = 100

export const planIdOf = (key: string) => `plan_${key}`
/** Steps of a plan are tasks with such an id, so that the plan follows the list. */
export const stepIdOf = (key: string, index: number) => `step_${key}_${index + 1}`

/** The plan's progress after one of its steps changed; `null` when the task is no step. */
export function* progressOf(session_id: string, task_id: string): Work<JsonObject | null> {
  const key = STEP.exec(task_id)?.[1]
  if (key === undefined) return null
  const steps = (yield* readTasks(session_id))
    .filter(({ id }) => id.startsWith(`step_${key}_`))
    .map(({ id, title, status }) => ({ id, title, status }))
  const isDone = steps.every(({ status }) => status === 'completed' || status === 'cancelled')
  return { plan_id: planIdOf(key), status: isDone ? 'completed' : 'in_progress', steps }
}

/** Those of a plan that is not carried out, or that another one replaces. */
export function* forgetSteps(session_id: string): Work<void> {
  yield* runSql(`DELETE FROM tasks WHERE session_id = ? AND id LIKE 'step!_%' ESCAPE '!'`, [session_id])
}

/** The last plan, if it still waits for a decision. */
export function* proposedPlan(session_id: string): Work<PlanStatus | null> {
  const rows = yield* runSql<{ projection: string }>(
    'SELECT projection FROM turns WHERE session_id = ? AND deprecated = 0 ORDER BY sequence DESC LIMIT ?',
    [session_id, PLAN_TURNS],
  )
  for (const { projection } of rows) {
    const { blocks }: Partial<TurnProjection> = readStored(projection) ?? {}
    const block = Array.isArray(blocks) ? blocks.findLast((one) => one?.type === 'plan_status') : undefined
    const plan = block?.content as PlanStatus | null | undefined
    if (block) return plan?.status === 'proposed' ? plan : null
  }
  return null
}

/** What says that a plan will not be carried out. */
export function rejectedPlan(plan: PlanStatus, superseded_by?: string): JsonObject {
  return {
    ...(plan.plan_id && { plan_id: plan.plan_id }),
    status: 'rejected',
    ...(superseded_by && { superseded_by }),
  }
}

/** For runs: going on to act approves a plan, a message may refuse it. */
export const plans = {
  proposed: proposedPlan,
  rejected: (plan: PlanStatus) => rejectedPlan(plan),
  *forgetSteps(session_id: string): Work<Task[]> {
    yield* forgetSteps(session_id)
    return yield* readTasks(session_id)
  },
}
