import type { PendingQuestionRef } from '@parley/protocol'
import type { JsonValue } from '../ports.ts'
import { type CallScope, Group } from './call-scope.ts'
import type { LoopEnv } from './loop-env.ts'
import type { LoopEvent, Outcome } from './loop-events.ts'
import type { Call, LoopState, OpenTurn } from './loop-state.ts'
import { CANCELLED } from './messages.ts'
import { merge } from './merge.ts'
import { AGENT, ASK } from './offer.ts'
import { runAgent } from './run-agent.ts'
import { runTool } from './run-tool.ts'
import { judgeHandIns, submitResult } from './submit-result.ts'

/** How often the same call may fail the same way, in a row, before the run gives up. */
const SAME_FAILURES = 5

export type Settled =
  /** `output` when a structured result was handed in. */
  | { status: 'completed'; output?: JsonValue }
  | Extract<Outcome, { status: 'paused' | 'failed' | 'interrupted' | 'handed_back' }>

/**
 * Brings every call of an answer to its end: read-only calls and sub-agents side by side, the others one after another
 * in the order the model made them. What still waits for a person when all others are done pauses the turn.
 */
export async function* settleCalls(
  loop: LoopState,
  open: OpenTurn,
  env: LoopEnv,
  runChild: CallScope['runChild'],
): AsyncGenerator<LoopEvent, Settled> {
  const group = new Group()
  const isSideBySide = (call: Call) => call.name === AGENT || (env.tools.find(call.name)?.readOnly ?? true)
  const one = (call: Call) => settleCall(call, { loop, open, env, group, runChild })
  const inOrder = open.calls.filter((call) => !isSideBySide(call))
  const branches = open.calls.filter(isSideBySide).map((call) => group.counted(one(call)))
  if (inOrder.length > 0) branches.push(group.counted(oneByOne(inOrder.map((call) => () => one(call)))))
  // Whoever waits for a person takes no place from those that could work.
  yield* merge(branches, () => env.parallelCalls + group.resting)

  if (env.signal.aborted && !env.isShutdown()) return yield* interrupted(open)
  const refs = open.calls.flatMap((call) => waitingFor(call, loop))
  if (refs.length > 0) return { status: 'paused', refs }
  if (open.calls.some(({ state }) => state.type !== 'settled')) return { status: 'handed_back' }
  return judgeHandIns(loop, open, env) ?? repeatedFailure(loop, open) ?? { status: 'completed' }
}

async function* settleCall(call: Call, scope: CallScope): AsyncGenerator<LoopEvent, void> {
  const { env, loop } = scope
  if (call.state.type === 'settled') return
  // Also when it waits, or after a stop: what is below it has its own questions and calls to close.
  if (call.name === AGENT && loop.depth < env.maxDepth) return yield* runAgent(call, scope)
  if (call.state.type === 'waiting' || env.signal.aborted || env.isDraining()) return
  if (env.output && loop.depth === 0 && call.name === env.output.spec.name)
    return yield* submitResult(call, env.output, scope)
  yield* runTool(call, scope)
}

async function* oneByOne(calls: (() => AsyncGenerator<LoopEvent, void>)[]): AsyncGenerator<LoopEvent, void> {
  for (const run of calls) yield* run()
}

/** Innermost first, as the wire protocol wants it: sub-agents have cancelled their own calls by now. */
async function* interrupted(open: OpenTurn): AsyncGenerator<LoopEvent, Settled> {
  for (const call of open.calls) {
    if (call.state.type === 'settled') continue
    call.state = { type: 'settled', status: 'cancelled', result: CANCELLED }
    const asksNoMore = call.child && { pending_question_ref: null }
    yield { type: 'tool:status', turn_id: open.turn_id, tool_call_id: call.id, status: 'cancelled', ...asksNoMore }
  }
  return { status: 'interrupted' }
}

function waitingFor(call: Call, { loop_id, description }: LoopState): PendingQuestionRef[] {
  if (call.state.type !== 'waiting') return []
  if (call.name !== ASK) return call.state.refs
  return [{ child_loop_name: loop_id, child_tool_call_id: call.id, description: description || null }]
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
