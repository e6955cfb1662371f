import { BlockType } from '../../model/block-type.ts'
import type { PlanBlock } from '../../model/agent-blocks.ts'
import type { ChatMessage } from '../../model/chat-message.ts'

type Plan = PlanBlock['content']
type Told = { message: ChatMessage; block: PlanBlock }

/**
 * The server tells of a plan when it is proposed, approved and at every step. It is shown once: where it was last told of
 * by the assistant, with all that was told. Messages that say nothing else are left out.
 */
export function createPlanPlacer() {
  const made = new WeakMap<ChatMessage, { said: string; result: ChatMessage }>()
  return (messages: ChatMessage[]): ChatMessage[] => {
    const told = messages.flatMap((message) => plansIn(message).map((block): Told => ({ message, block })))
    if (told.length === 0) return messages
    const shown = new Map(plansOf(told).map((plan) => [placeOf(plan), contentOf(plan)]))
    return messages.flatMap((message) => {
      const blocks = plansIn(message)
      if (blocks.length === 0) return message
      const said = JSON.stringify(blocks.map((block) => shown.get(block) ?? null))
      const known = made.get(message)
      const result = known?.said === said ? known.result : withPlans(message, shown)
      made.set(message, { said, result })
      return result.content.length === 0 ? [] : result
    })
  }
}

/** The ids of the steps in plans that are shown: the task list need not repeat them. */
export const stepsShown = (messages: readonly ChatMessage[]): ReadonlySet<string> =>
  new Set(messages.flatMap(plansIn).flatMap(({ content }) => content.steps?.map(({ id }) => id) ?? []))

const plansIn = ({ content }: ChatMessage): PlanBlock[] =>
  content.filter((block): block is PlanBlock => block.type === BlockType.Plan)

/** Those of one name belong together. An older server gives none: there, a proposal begins a new plan. */
function plansOf(told: readonly Told[]): Told[][] {
  const plans: Told[][] = []
  const named = new Map<string, Told[]>()
  for (const one of told) {
    const { planID, status } = one.block.content
    const plan = planID ? named.get(planID) : status === 'proposed' ? undefined : plans.at(-1)
    if (plan) plan.push(one)
    else plans.push([one])
    if (planID && !plan) named.set(planID, plans.at(-1)!)
  }
  return plans
}

/** What was decided about it is no word of the assistant's. */
const placeOf = (plan: readonly Told[]): PlanBlock =>
  (plan.findLast(({ block }) => !DECISIONS.has(block.content.status)) ?? plan.at(-1)!).block

const DECISIONS: ReadonlySet<string> = new Set(['approved', 'rejected'])

function contentOf(plan: readonly Told[]): Plan {
  const last = <Name extends keyof Plan>(name: Name): Plan[Name] | undefined =>
    plan.findLast(({ block }) => block.content[name] !== undefined)?.block.content[name]
  const [text, steps, planID] = [last('plan'), last('steps'), last('planID')]
  return {
    status: last('status') ?? 'proposed',
    ...(text && { plan: text }),
    ...(steps && { steps }),
    ...(planID && { planID }),
    ...(last('isSuperseded') && { isSuperseded: true }),
  }
}

function withPlans(message: ChatMessage, shown: ReadonlyMap<PlanBlock, Plan>): ChatMessage {
  const content = message.content.flatMap((block) => {
    if (block.type !== BlockType.Plan) return block
    const plan = shown.get(block as PlanBlock)
    return plan ? { ...block, content: plan } : []
  })
  return { ...message, content }
}
