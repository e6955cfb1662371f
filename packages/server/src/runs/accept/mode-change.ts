import { AgentError, type ContentBlock, type Mode, type PlanStatus, type Task } from '@parley/protocol'
import type { Work } from '../../store/work.ts'
import type { TurnBook } from '../turn-book.ts'

/** What runs ask of the feature that has plans. */
export type Plans = {
  /** The last plan, if it still waits for a decision. */
  proposed: (session_id: string) => Work<PlanStatus | null>
  /** What says that it will not be carried out. */
  rejected: (plan: PlanStatus) => object
  /** Its steps go; what is left of the tasks. */
  forgetSteps: (session_id: string) => Work<Task[]>
}

type Change = { session_id: string; from: Mode; to: Mode; plan_decision: 'reject' | null; plans: Plans }

/**
 * [W10.14] What the conversation is told before a message that changes its mode, or refuses the plan. Going on to act
 * approves a plan that waits.
 */
export function* writeModeChange(book: TurnBook, change: Change): Work<void> {
  const { session_id, from, to, plan_decision, plans } = change
  if (from === to && plan_decision === null) return
  const plan = to === 'executing' || plan_decision ? yield* plans.proposed(session_id) : null
  if (plan_decision && !plan)
    throw new AgentError('ask_not_pending', 'No plan waits for a decision.', { details: { session_id } })
  const decided = plan && (plan_decision ? plans.rejected(plan) : { ...plan, status: 'approved' })
  const planBlocks = decided ? [block('plan_status', decided)] : []
  book.addTurn({ role: 'system', blocks: [...modeBlocks(from, to), ...planBlocks] })
  if (plan_decision) book.notify('task:updated', { tasks: yield* plans.forgetSteps(session_id) })
}

function modeBlocks(from: Mode, to: Mode): ContentBlock[] {
  if (from === to) return []
  const change = block('mode_change', { from, to })
  return to === 'planning' ? [change, block('planning_enter', null)] : [block('planning_exit', null), change]
}

function block(type: string, content: unknown): ContentBlock {
  return { type, content, tool_call_id: null, tool_name: null, display_name: null } as ContentBlock
}
