import type { PendingQuestionRef } from '@parley/protocol'
import type { CallScope } from './call-scope.ts'
import type { LoopEvent, Outcome } from './loop-events.ts'
import { agentIn, type AgentInput, parseJson } from './loop-arguments.ts'
import { type Call, type LoopState, newLoop } from './loop-state.ts'
import { userMessage } from './messages.ts'
import { AGENT } from './offer.ts'
import { settle } from './settle.ts'

/** An `Agent` call: the same loop again, one level deeper. Its final text is the call's result. */
export async function* runAgent(call: Call, scope: CallScope): AsyncGenerator<LoopEvent, void> {
  const { open, env, group } = scope
  const startedAt = env.clock.elapsed()
  if (call.child === null) {
    if (env.isDraining() || env.signal.aborted) return
    const input = agentIn(call.arguments)
    const problem = input
      ? whyNot(input, call, scope)
      : 'Agent needs { description, prompt }, one of them not empty, and tools, if any, as a list of names.'
    if (!input || problem) return yield* settle(call, scope, { status: 'error', result: problem!, startedAt })
    call.child = childLoop(call, input, scope)
  }
  for (;;) {
    const outcome: Outcome = yield* scope.runChild(call.child)
    if (outcome.status === 'handed_back') call.state = { type: 'announced' }
    if (outcome.status === 'handed_back' || outcome.status === 'interrupted') return
    // Where nobody can be asked for consent, the whole run is over, not only the sub-agent.
    if (outcome.status === 'failed' && outcome.error.code === 'confirmation_required') group.failure = outcome.error
    if (outcome.status !== 'paused')
      return yield* settle(call, scope, {
        status: outcome.status === 'failed' ? 'error' : 'done',
        result: resultOf(call.child, outcome),
        startedAt,
      })

    const [ref] = outcome.refs
    const isTold = call.state.type === 'waiting' && isSameQuestion(call.state.refs[0], ref)
    call.state = { type: 'waiting', refs: outcome.refs }
    if (!isTold)
      yield {
        type: 'tool:status',
        turn_id: open.turn_id,
        tool_call_id: call.id,
        status: 'awaiting_answer',
        pending_question_ref: ref!,
      }
    // While others of this turn work on, an answer resumes the sub-agent here and now.
    const isAnswered = await env.inbox.answered(outcome.refs, group.rest())
    group.resume()
    // After a stop it is entered once more, so that it cancels what waits in it.
    const isStopped = env.signal.aborted && !env.isLeaving()
    if (!isAnswered && !isStopped) return
    call.state = { type: 'announced' }
  }
}

function isSameQuestion(a: PendingQuestionRef | undefined, b: PendingQuestionRef | undefined): boolean {
  return a?.child_tool_call_id === b?.child_tool_call_id
}

const AGENT_CUT = '(The sub-agent’s answer reached the limit of its length and breaks off here.)'

/** Sub-agents that one loop may start in a run. */
const MAX_AGENTS = 50

function whyNot({ tools, model }: AgentInput, call: Call, { loop, open, env }: CallScope): string | undefined {
  const verdict = env.tools.judge({ name: AGENT }, parseJson(call.arguments) ?? {})
  if (verdict.type === 'deny') return verdict.reason
  if (verdict.type === 'ask') return 'Sub-agents may only be started by a rule that allows them, not by asking.'
  const place = open.calls.filter(({ name }) => name === AGENT).indexOf(call)
  if (loop.agents + place >= MAX_AGENTS) return `There were ${MAX_AGENTS} sub-agents already; do the rest yourself.`
  const known = new Set(env.tools.list().map(({ name }) => name))
  const unknown = tools?.filter((name) => name !== AGENT && !known.has(name)) ?? []
  if (unknown.length > 0) return `There is no tool named ${unknown.join(', ')}.`
  return model !== null && !env.findModel(model) ? `There is no model named ${model}.` : undefined
}

function childLoop(call: Call, input: AgentInput, { loop, env }: CallScope): LoopState {
  const { description, prompt } = input
  return newLoop({
    ...equipment(input, loop),
    loop_id: env.ids.next('agent'),
    parent_fork_tool_call_id: call.id,
    description,
    depth: loop.depth + 1,
    messages: [userMessage(prompt)],
  })
}

/** Nobody can hand down more than it has. */
export function equipment({ tools, model }: AgentInput, parent: Pick<LoopState, 'tools' | 'model'>) {
  const allowed = parent.tools === null ? tools : (tools ?? parent.tools).filter((name) => parent.tools!.includes(name))
  return { tools: allowed, model: model ?? parent.model }
}

function resultOf(child: LoopState, outcome: Extract<Outcome, { status: 'completed' | 'failed' }>): string {
  if (outcome.status === 'failed') return outcome.error.message
  const last = child.messages.findLast((message) => message.role === 'assistant')
  const text = last?.content.map((part) => (part.type === 'text' ? part.text : '')).join('') ?? ''
  return outcome.cut ? `${text}\n${AGENT_CUT}` : text
}
