import type { PendingQuestionRef } from '@parley/protocol'
import type { CallScope } from './call-scope.ts'
import type { LoopEvent, Outcome } from './loop-events.ts'
import { type Call, type LoopState, newLoop } from './loop-state.ts'
import { userMessage } from './messages.ts'
import { parseJson } from './offer.ts'

/** An `Agent` call: the same loop again, one level deeper. Its final text is the call's result. */
export async function* runAgent(call: Call, scope: CallScope): AsyncGenerator<LoopEvent, void> {
  const { open, env, group } = scope
  const startedAt = env.clock.now()
  if (call.child === null) {
    if (env.isDraining() || env.signal.aborted) return
    const input = agentInput(call.arguments)
    if (!input)
      return yield* settle(
        call,
        scope,
        'error',
        'Agent needs { description, prompt } with a prompt that is not empty.',
        startedAt,
      )
    call.child = childLoop(call, input, scope)
  }
  for (;;) {
    const outcome: Outcome = yield* scope.runChild(call.child)
    if (outcome.status === 'handed_back' || outcome.status === 'interrupted') return
    if (outcome.status !== 'paused')
      return yield* settle(
        call,
        scope,
        outcome.status === 'failed' ? 'error' : 'done',
        resultOf(call.child, outcome),
        startedAt,
      )

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
    const isStopped = env.signal.aborted && !env.isShutdown()
    if (!isAnswered && !isStopped) return
    call.state = { type: 'announced' }
  }
}

function isSameQuestion(a: PendingQuestionRef | undefined, b: PendingQuestionRef | undefined): boolean {
  return a?.child_tool_call_id === b?.child_tool_call_id
}

type AgentInput = { description: string; prompt: string }

export function agentInput(text: string): AgentInput | undefined {
  const { description, prompt } = (parseJson(text) ?? {}) as Partial<AgentInput>
  return typeof prompt === 'string' && prompt !== '' ? { description: description ?? '', prompt } : undefined
}

function childLoop(call: Call, { description, prompt }: AgentInput, { loop, env }: CallScope): LoopState {
  return newLoop({
    loop_id: env.ids.next('agent'),
    parent_fork_tool_call_id: call.id,
    description,
    depth: loop.depth + 1,
    messages: [userMessage(prompt)],
  })
}

async function* settle(
  call: Call,
  { open, env }: CallScope,
  status: 'done' | 'error',
  result: string,
  startedAt: number,
): AsyncGenerator<LoopEvent, void> {
  call.state = { type: 'settled', status, result }
  yield {
    type: 'tool:result',
    turn_id: open.turn_id,
    tool_call_id: call.id,
    status,
    result,
    duration_ms: env.clock.now() - startedAt,
  }
}

function resultOf(child: LoopState, outcome: Extract<Outcome, { status: 'completed' | 'failed' }>): string {
  if (outcome.status === 'failed') return outcome.error.message
  const last = child.messages.findLast((message) => message.role === 'assistant')
  return last?.content.map((part) => (part.type === 'text' ? part.text : '')).join('') ?? ''
}
