import type { CompactionTrigger } from '@parley/protocol'
import type { LoopEnv } from './loop-env.ts'
import type { LoopEvent, Outcome, RunError } from './loop-events.ts'
import type { LoopState } from './loop-state.ts'
import { offeredTools } from './offer.ts'

type Why = { trigger: CompactionTrigger; refused?: RunError }

/** Before a call: where the conversation fills too much of the window, it is made shorter. Where that fails it stays as it is. */
export async function* makeRoom(loop: LoopState, env: LoopEnv): AsyncGenerator<LoopEvent, void> {
  if (await env.compaction?.isDue(loop, offeredTools(loop, env))) yield* compact(loop, env, { trigger: 'auto' })
}

export function isOverflow(outcome: Outcome): outcome is Outcome & { status: 'failed' } {
  return outcome.status === 'failed' && outcome.error.code === 'context_overflow'
}

/** After a call that did not fit. `false`: it would not fit again. */
export async function* makeRoomAfter(
  error: RunError,
  loop: LoopState,
  env: LoopEnv,
): AsyncGenerator<LoopEvent, boolean> {
  if (!(yield* compact(loop, env, { trigger: 'forced_retry', refused: error }))) return false
  // The same call again, which is on record already.
  loop.isIntended = true
  return true
}

async function* compact(loop: LoopState, env: LoopEnv, why: Why): AsyncGenerator<LoopEvent, boolean> {
  const messages = env.compaction && (yield* env.compaction.compact(loop, why.trigger, why.refused))
  if (!messages) return false
  loop.messages = messages
  loop.measured = null
  return true
}
