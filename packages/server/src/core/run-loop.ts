import type { LoopEnv } from './loop-env.ts'
import type { LoopEvent, Outcome } from './loop-events.ts'
import type { LoopState, OpenTurn } from './loop-state.ts'
import { turnMessages, userMessage } from './messages.ts'
import { isOverflow, makeRoom, makeRoomAfter } from './make-room.ts'
import { AGENT, announce } from './offer.ts'
import { type Settled, settleCalls } from './settle-calls.ts'
import { type Answer, streamAnswer, withoutCalls } from './stream-answer.ts'
import { countMisfit, checkText, misfit } from './submit-result.ts'

export const SUM_UP =
  'You have used all the steps there are for this request. Call no more tools: answer now, with what you have found so far.'
export const REMINDER = 'Call submit_result now with your result; a plain answer does not count.'

/**
 * One run, or one sub-agent: ask the model, run the tools it asks for, repeat until it stops asking. Starts from any
 * state, also in the middle of a turn, and leaves the state where the next one can go on. Knows no session, store or
 * socket.
 */
export async function* runLoop(loop: LoopState, env: LoopEnv): AsyncGenerator<LoopEvent, Outcome> {
  let isSecondTry = false
  for (;;) {
    if (loop.open === null) {
      if (env.signal.aborted) return stopped(env)
      if (env.isDraining()) return { status: 'handed_back' }
      if (!loop.isIntended && loop.used >= env.maxTurns)
        return yield* env.closes && loop.depth === 0 ? closingCall(loop, env) : limitReached(loop, env)

      yield* makeRoom(loop, env)
      if (env.signal.aborted) return stopped(env)
      const answer = yield* streamAnswer(loop, env)
      if (answer.status !== 'complete') {
        const outcome: Outcome = yield* brokenOff(answer, loop, env)
        if (isSecondTry || !isOverflow(outcome)) return outcome
        isSecondTry = yield* makeRoomAfter(outcome.error, loop, env)
        if (env.signal.aborted) return stopped(env)
        if (!isSecondTry) return outcome
        continue
      }
      isSecondTry = false
      loop.open = yield* announceCalls(answer, loop, env)
    }

    const open = loop.open
    const runChild = (child: LoopState) => runLoop(child, env)
    const settled = await checkEnd(yield* settleCalls({ loop, open, env, runChild }), loop, env)
    if (settled.status === 'handed_back') return settled
    // A turn that paused before and still waits has nothing new to tell.
    if (!(settled.status === 'paused' && open.isEnded)) yield turnEnd(open, settled, env)
    if (settled.status === 'paused') {
      open.isEnded = true
      return settled
    }
    loop.messages.push(...turnMessages(open))
    loop.agents += open.calls.filter(({ name }) => name === AGENT).length
    loop.open = null
    if (settled.status !== 'completed') return settled
    if (settled.output !== undefined) return { ...settled, finish_reason: 'completed' }
    if (open.calls.length > 0) continue
    if (settled.reminder === undefined)
      return { status: 'completed', finish_reason: 'completed', ...(open.isCut && { cut: 'length' as const }) }
    loop.messages.push(userMessage(settled.reminder))
  }
}

/** `reminder`: what the model is told when it handed in no result. */
type CheckedEnd = Exclude<Settled, { status: 'completed' }> | (Settled & { status: 'completed'; reminder?: string })

/** Where a result is wanted, an answer in words is one if it is JSON that fits, else a misfit. */
async function checkEnd(settled: Settled, loop: LoopState, env: LoopEnv): Promise<CheckedEnd> {
  const { open } = loop
  if (settled.status !== 'completed' || open?.calls.length !== 0 || !wantsResult(loop, env)) return settled
  const checked = await checkText(open, env.output!)
  if (checked?.ok) return { status: 'completed', output: checked.value }
  const failure = countMisfit(loop, checked?.errors ?? ['the model never called submit_result'])
  return failure ?? { ...settled, reminder: checked ? `${misfit(checked.errors)}. ${REMINDER}` : REMINDER }
}

async function* announceCalls(
  answer: Answer & { status: 'complete' },
  loop: LoopState,
  env: LoopEnv,
): AsyncGenerator<LoopEvent, OpenTurn> {
  const { turn_id, parts, usage, isCut } = answer
  const calls: Awaited<ReturnType<typeof announce>>[] = []
  for (const part of parts) if (part.type === 'tool_call') calls.push(await announce(part, loop, env))
  yield { type: 'answer', turn_id, parts, calls: calls.map(({ announced }) => announced), usage, isCut }
  return { turn_id, parts, calls: calls.map(({ call }) => call), isEnded: false, isCut }
}

async function* brokenOff(
  answer: Answer & { status: 'interrupted' | 'failed' },
  loop: LoopState,
  env: LoopEnv,
): AsyncGenerator<LoopEvent, Outcome> {
  // At a shutdown the turn stays open: whoever carries on closes it and asks the model again.
  if (answer.status === 'interrupted' && env.isLeaving()) return { status: 'handed_back' }
  if (answer.turn_id !== null) {
    const { turn_id, parts, usage } = answer
    const failure_reason = answer.status === 'failed' ? `${answer.error.code}: ${answer.error.message}` : null
    yield { type: 'answer', turn_id, parts, calls: [], usage, isCut: false }
    yield { type: 'turn:end', turn_id, status: answer.status, failure_reason, isEnded: false }
    loop.messages.push(...turnMessages({ parts, calls: [] }))
  }
  if (answer.status === 'interrupted') return stopped(env)
  return { status: 'failed', finish_reason: null, error: answer.error }
}

/** The last word, for whoever would otherwise see the run just end. A call in it is not even announced. */
async function* closingCall(loop: LoopState, env: LoopEnv): AsyncGenerator<LoopEvent, Outcome> {
  loop.messages.push(userMessage(SUM_UP))
  const answer = yield* streamAnswer(loop, env, [])
  if (answer.status !== 'complete') return yield* brokenOff(answer, loop, env)
  const { turn_id, usage, isCut } = answer
  const hasCalls = answer.parts.some(({ type }) => type === 'tool_call')
  const parts = hasCalls ? withoutCalls(answer.parts) : answer.parts
  yield { type: 'answer', turn_id, parts, calls: [], usage, isCut }
  yield turnEnd({ turn_id, isEnded: false, isCut }, { status: 'completed' }, env)
  loop.messages.push(...turnMessages({ parts, calls: [] }))
  return { status: 'completed', finish_reason: 'max_turns', ...(isCut && { cut: 'length' as const }) }
}

async function* limitReached(
  { loop_id, parent_fork_tool_call_id }: LoopState,
  env: LoopEnv,
): AsyncGenerator<LoopEvent, Outcome> {
  yield { type: 'notice', loop_id, parent_fork_tool_call_id, text: env.texts.maxTurns(env.maxTurns) }
  return { status: 'completed', finish_reason: 'max_turns' }
}

function turnEnd(
  { turn_id, isEnded, isCut }: Pick<OpenTurn, 'turn_id' | 'isEnded' | 'isCut'>,
  settled: Exclude<CheckedEnd, { status: 'handed_back' }>,
  { texts }: LoopEnv,
): LoopEvent {
  const { status } = settled
  const failure_reason = status === 'failed' ? `${settled.error.code}: ${settled.error.message}` : null
  const notice = isCut && status === 'completed' ? { notice: texts.cut } : {}
  return { type: 'turn:end', turn_id, status, failure_reason, isEnded, ...notice }
}

function stopped(env: LoopEnv): Outcome {
  return env.isLeaving() ? { status: 'handed_back' } : { status: 'interrupted' }
}

function wantsResult(loop: LoopState, env: LoopEnv): boolean {
  return env.output !== null && loop.depth === 0
}
