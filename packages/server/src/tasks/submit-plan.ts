import { randomBytes } from 'node:crypto'
import { columnText } from '@parley/protocol/schemas'
import { z } from 'zod'
import { forgetSteps, planIdOf, proposedPlan, rejectedPlan, stepIdOf } from './plan.ts'
import { insertTask } from '../store/task-rows.ts'
import { tasksChanged } from './task-list.ts'
import { defineEffect } from '../tools/define-tool.ts'
import { TOOL_NAMES } from '../words/tool-names.ts'

/** Offered while planning only. The user approves by switching to executing; the steps become the task list. A new plan takes the place of one that waits. */
export const submitPlan = defineEffect({
  name: 'SubmitPlan',
  display_name: TOOL_NAMES.SubmitPlan,
  description:
    'Propose your plan to the user, who decides whether it is carried out. Call it once, when the plan is complete.',
  planning: 'planning',
  input: z.object({
    plan: z.string().trim().min(1).max(50_000).describe('The plan in Markdown'),
    steps: z.array(columnText.trim().min(1).max(200)).max(50).default([]),
  }),
  effect: ({ plan, steps }, session_id) => {
    const now = Date.now()
    const key = randomBytes(4).toString('hex')
    const plan_id = planIdOf(key)
    const proposed = steps.map((title, index) => ({
      id: stepIdOf(key, index),
      title,
      description: null,
      status: 'pending' as const,
      // The list is read in this order.
      created_at: new Date(now + index).toISOString(),
      updated_at: new Date(now).toISOString(),
    }))
    return function* () {
      const before = yield* proposedPlan(session_id)
      yield* forgetSteps(session_id)
      for (const task of proposed) yield* insertTask(session_id, task)
      const told = yield* tasksChanged(session_id, {
        ok: true,
        steps: proposed.map(({ id, title }) => ({ id, title })),
      })
      const shown = proposed.map(({ id, title, status }) => ({ id, title, status }))
      const statuses = [
        // One plan waits at a time: the newest.
        ...(before ? [rejectedPlan(before, plan_id)] : []),
        { plan_id, status: 'proposed', plan, steps: shown },
      ]
      return { ...told, blocks: statuses.map((content) => ({ type: 'plan_status', content })) }
    }
  },
})
