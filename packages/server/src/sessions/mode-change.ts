import type { ContentBlock, Mode, TurnProjection } from '@parley/protocol'
import { readStored } from '../store/stored-json.ts'
import { runSql, type Work } from '../store/work.ts'

/** How far back a plan is looked for. */
const PLAN_TURNS = 100

/** [10.14] What the conversation is told when its mode changes; going on to act approves the plan. */
export function* modeChange(session_id: string, from: Mode, to: Mode): Work<ContentBlock[]> {
  return modeBlocks(from, to, to === 'executing' ? yield* proposedPlan(session_id) : null)
}

/** The last plan, if it still waits for approval. */
function* proposedPlan(session_id: string): Work<unknown> {
  const rows = yield* runSql<{ projection: string }>(
    'SELECT projection FROM turns WHERE session_id = ? ORDER BY sequence DESC LIMIT ?',
    [session_id, PLAN_TURNS],
  )
  for (const { projection } of rows) {
    const blocks = (readStored(projection) as TurnProjection | undefined)?.blocks
    const plan = Array.isArray(blocks) ? blocks.findLast((block) => block?.type === 'plan_status') : undefined
    if (plan) return (plan.content as { status?: string } | null)?.status === 'proposed' ? plan.content : null
  }
  return null
}

function modeBlocks(from: Mode, to: Mode, plan: unknown): ContentBlock[] {
  const block = (type: string, content: unknown) =>
    ({ type, content, tool_call_id: null, tool_name: null, display_name: null }) as ContentBlock
  const change = block('mode_change', { from, to })
  if (to === 'planning') return [change, block('planning_enter', null)]
  // Going on to act is what approves a plan.
  const approved = plan === null ? [] : [block('plan_status', { ...(plan as object), status: 'approved' })]
  return [block('planning_exit', null), change, ...approved]
}
