import type { PendingQuestionRef } from '@parley/protocol'
import type { JsonValue } from '../ports.ts'
import { type CallScope, Group } from './call-scope.ts'
import { hearAnswer } from './hear-answer.ts'
import type { LoopEvent, Outcome } from './loop-events.ts'
import type { Call, LoopState, OpenTurn } from './loop-state.ts'
import { CANCELLED, EARLIER_REFUSED } from './messages.ts'
import { merge } from './merge.ts'
import { AGENT, ASK, mayUse, needsConsent } from './offer.ts'
import { runAgent } from './run-agent.ts'
import { runTool } from './run-tool.ts'
import { settle } from './settle.ts'
import { checkHandIns, submitResult } from './submit-result.ts'

/** How often the same call may fail the same way, in a row, before the run gives up. */
const SAME_FAILURES = 5

export type Settled =
  /** `output` when a structured result was handed in. */
  | { status: 'completed'; output?: JsonValue }
  | Extract<Outcome, { status: 'paused' | 'failed' | 'interrupted' | 'handed_back' }>

/**
 * Brings every call of an answer to its end: read-only calls and sub-agents side by side, the others, and those that
 * need consent, one after another in the order the model made them. What still waits for a person when all others are done pauses the turn.
 */
export async function* settleCalls({
  loop,
  open,
  env,
  runChild,
}: Omit<CallScope, 'group'>): AsyncGenerator<LoopEvent, Settled> {
  const group = new Group()
  const asking = new Set<Call>()
  for (const call of open.calls) hearAnswer(call, env.inbox)
  for (const call of open.calls) if (await needsConsent(call, env)) asking.add(call)
  const isReadOnly = (call: Call) => (env.tools.find(call.name)?.readOnly ?? true) && !asking.has(call)
  const isSideBySide = (call: Call) => call.name === AGENT || isReadOnly(call)
  const scope: CallScope = { loop, open, env, group, runChild }
  const one = (call: Call) => settleCall(call, scope)
  const inOrder = open.calls.filter((call) => !isSideBySide(call))
  const branches = open.calls.filter(isSideBySide).map((call) => group.counted(one(call)))
  if (inOrder.length > 0) branches.push(group.counted(oneByOne(inOrder, scope)))
  // Whoever waits for a person takes no place from those that could work.
  yield* merge(branches, () => env.parallelCalls + group.resting)

  for (const call of open.calls) hearAnswer(call, env.inbox)
  if (env.signal.aborted && !env.isLeaving()) {
    yield* cancelRest(scope)
    return { status: 'interrupted' }
  }
  if (group.failure) {
    yield* cancelRest(scope)
    return { status: 'failed', finish_reason: 'tool_error', error: group.failure }
  }
  const isLeaving = env.isDraining() || env.signal.aborted
  // Nobody is asked to answer a run that was cut short: whoever carries on finishes what others of this turn work on.
  if (isLeaving && open.calls.some(isUnfinished)) return { status: 'handed_back' }
  const refs = open.calls.flatMap((call) => waitingFor(call, loop))
  if (refs.length > 0) return { status: 'paused', refs }
  if (open.calls.some(({ state }) => state.type !== 'settled')) return { status: 'handed_back' }
  return (await checkHandIns(loop, open, env)) ?? repeatedFailure(loop, open) ?? { status: 'completed' }
}

async function* settleCall(call: Call, scope: CallScope): AsyncGenerator<LoopEvent, void> {
  const { env, loop } = scope
  if (call.state.type === 'settled') return
  // Also when it waits, or after a stop: what is below it has its own questions and calls to close.
  if (call.name === AGENT && loop.depth < env.maxDepth && mayUse(loop, AGENT)) return yield* runAgent(call, scope)
  if (call.state.type === 'waiting' || env.signal.aborted || env.isDraining() || scope.group.failure) return
  if (env.output && loop.depth === 0 && call.name === env.output.spec.name)
    return yield* submitResult(call, env.output, scope)
  yield* runTool(call, scope)
}

/** In order: what comes after one that waits for consent waits with it, and goes down with one that was refused. */
async function* oneByOne(calls: readonly Call[], scope: CallScope): AsyncGenerator<LoopEvent, void> {
  for (const [index, call] of calls.entries()) {
    yield* settleCall(call, scope)
    if (call.state.type === 'confirming') return
    if (call.state.type === 'settled' && call.state.status === 'cancelled')
      return yield* dropRest(calls.slice(index + 1), scope)
  }
}

async function* dropRest(calls: readonly Call[], scope: CallScope): AsyncGenerator<LoopEvent, void> {
  for (const call of calls)
    if (call.state.type !== 'settled') yield* settle(call, scope, { status: 'cancelled', result: EARLIER_REFUSED })
}

/** Innermost first, as the wire protocol wants it: sub-agents have cancelled their own calls by now. */
async function* cancelRest(scope: CallScope): AsyncGenerator<LoopEvent, void> {
  const { open, env } = scope
  for (const call of open.calls) {
    hearAnswer(call, env.inbox)
    if (call.state.type === 'settled') continue
    if (call.state.type === 'confirming') {
      const { question_id } = call.state
      yield { type: 'tool:status', turn_id: open.turn_id, tool_call_id: question_id, status: 'cancelled' }
    }
    call.state = { type: 'settled', status: 'cancelled', result: CANCELLED }
    const asksNoMore = call.child && { pending_question_ref: null }
    yield { type: 'tool:status', turn_id: open.turn_id, tool_call_id: call.id, status: 'cancelled', ...asksNoMore }
    if (env.interrupted !== undefined && env.signal.aborted)
      yield* settle(call, scope, { status: 'cancelled', result: env.interrupted })
  }
}

function isUnfinished({ state }: Call): boolean {
  return state.type === 'announced' || state.type === 'claimed'
}

function waitingFor(call: Call, { loop_id, description }: LoopState): PendingQuestionRef[] {
  const asking = (id: string) => [
    { child_loop_name: loop_id, child_tool_call_id: id, description: description || null },
  ]
  if (call.state.type === 'confirming') return asking(call.state.question_id)
  if (call.state.type !== 'waiting') return []
  return call.name === ASK ? asking(call.id) : call.state.refs
}

function repeatedFailure(loop: LoopState, open: OpenTurn): Settled | undefined {
  for (const { name, arguments: text, state } of open.calls) {
    if (state.type !== 'settled') continue
    const call = `${name} ${text}`
    if (state.status !== 'error') loop.failing = null
    else loop.failing = { call, times: loop.failing?.call === call ? loop.failing.times + 1 : 1 }
    if (loop.failing && loop.failing.times >= SAME_FAILURES)
      return {
        status: 'failed',
        finish_reason: 'tool_error',
        error: {
          code: 'tool_error',
          message: `${name} failed ${SAME_FAILURES} times in a row with the same arguments.`,
        },
      }
  }
  return undefined
}
