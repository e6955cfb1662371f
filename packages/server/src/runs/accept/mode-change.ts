import { AgentError, type ContentBlock, type Mode, type PlanStatus } from '@parley/protocol'
import type { Work } from '../../store/work.ts'
import { forgetSteps, proposedPlan, rejectedPlan } from '../../tasks/plan.ts'
import { readTasks } from '../../tasks/task-list.ts'
import type { TurnBook } from '../turn-book.ts'

type Change = { session_id: string; from: Mode; to: Mode; plan_decision: 'reject' | null }

/**
 * [W10.14] What the conversation is told before a message that changes its mode, or refuses the plan. Going on to act
 * approves a plan that waits.
 */
export function* writeModeChange(book: TurnBook, { session_id, from, to, plan_decision }: Change): Work<void> {
  if (from === to && plan_decision === null) return
  const plan = to === 'executing' || plan_decision ? yield* proposedPlan(session_id) : null
  if (plan_decision && !plan)
    throw new AgentError('ask_not_pending', 'No plan waits for a decision.', { details: { session_id } })
  book.addTurn({ role: 'system', blocks: [...modeBlocks(from, to), ...planBlocks(plan, plan_decision)] })
  if (!plan_decision) return
  yield* forgetSteps(session_id)
  book.notify('task:updated', { tasks: yield* readTasks(session_id) })
}

function modeBlocks(from: Mode, to: Mode): ContentBlock[] {
  if (from === to) return []
  const change = block('mode_change', { from, to })
  return to === 'planning' ? [change, block('planning_enter', null)] : [block('planning_exit', null), change]
}

function planBlocks(plan: PlanStatus | null, decision: 'reject' | null): ContentBlock[] {
  if (!plan) return []
  return [block('plan_status', decision ? rejectedPlan(plan) : { ...plan, status: 'approved' })]
}

function block(type: string, content: unknown): ContentBlock {
  return { type, content, tool_call_id: null, tool_name: null, display_name: null } as ContentBlock
}
