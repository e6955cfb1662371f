import type { CallScope } from './call-scope.ts'
import type { LoopEnv } from './loop-env.ts'
import type { LoopEvent, RunError } from './loop-events.ts'
import { hearAnswer } from './hear-answer.ts'
import { type Call, sourceOf } from './loop-state.ts'
import { settle } from './settle.ts'
import type { AskVerdict } from '../ports.ts'

/** Consent to something else, or one that has grown old, counts for nothing. */
export function hasConsent({ consent }: Call, digest: string, { decisionNow, consentMs }: LoopEnv): boolean {
  return consent !== null && consent.digest === digest && decisionNow() - consent.decided_at < consentMs
}

/** Asks a person, and waits as `awaitConsent` does. */
export async function* askConsent(
  call: Call,
  { digest, why }: AskVerdict,
  scope: CallScope,
): AsyncGenerator<LoopEvent, boolean> {
  const { open, loop, env } = scope
  const question_id = env.ids.next('tc')
  call.state = { type: 'confirming', question_id }
  yield {
    type: 'tool:confirm',
    turn_id: open.turn_id,
    tool_call_id: call.id,
    question_id,
    digest,
    why,
    source_loop: sourceOf(loop),
  }
  return awaitConsent(call, scope)
}

/**
 * Rests while others of this turn work. `true`: decided meanwhile, and the call may go on; otherwise it waits, or was
 * refused.
 */
export async function awaitConsent(call: Call, { loop, env, group }: CallScope): Promise<boolean> {
  // It may be decided before anybody waits here.
  if (call.state.type === 'confirming' && !env.signal.aborted) {
    const { loop_id: child_loop_name, description } = loop
    const { question_id: child_tool_call_id } = call.state
    const ref = { child_loop_name, child_tool_call_id, description: description || null }
    await env.inbox.answered([ref], group.rest())
    group.resume()
  }
  hearAnswer(call, env.inbox)
  return isOpen(call) && !env.signal.aborted && !env.isDraining()
}

/** Where nobody is there to be asked, the run ends, and says what it would have needed. */
export async function* refuseHeadless(call: Call, digest: string, scope: CallScope): AsyncGenerator<LoopEvent, void> {
  const message = `${call.name} needs a person's consent, and nobody is there to give it.`
  const ends: RunError = { code: 'confirmation_required', message, details: { tool_name: call.name, digest } }
  scope.group.failure = ends
  yield* settle(call, scope, { status: 'error', result: message, ends })
}

/** Consent opens it again, a refusal settles it. */
function isOpen({ state }: Call): boolean {
  return state.type === 'announced'
}
