import type { JsonValue } from '../ports.ts'
import type { OutputContract } from './loop-env.ts'
import type { CallScope } from './call-scope.ts'
import type { LoopEvent, Outcome } from './loop-events.ts'
import type { Call, LoopState } from './loop-state.ts'
import { parseJson } from './offer.ts'

/** How often a structured result may not fit before the run fails. */
const MISFITS = 3

/** One more try that did not fit; a failure once there were enough. */
export function countMisfit(loop: LoopState, errors: string[]): Extract<Outcome, { status: 'failed' }> | undefined {
  loop.misfits += 1
  if (loop.misfits < MISFITS) return undefined
  const message = `The model never produced a result that fits the schema: ${errors.join('; ')}`
  return {
    status: 'failed',
    finish_reason: null,
    error: { code: 'output_schema_unsatisfied', message, details: { errors } },
  }
}

/** The model hands in its structured result. What does not fit goes back to it, a bounded number of times. */
export async function* submitResult(
  call: Call,
  contract: OutputContract,
  { loop, open, handIn }: CallScope,
): AsyncGenerator<LoopEvent, void> {
  const input = parseJson(call.arguments)
  const judged =
    input === undefined ? { ok: false as const, errors: ['the arguments are not valid JSON'] } : contract.judge(input)
  const settle = (status: 'done' | 'error', result: JsonValue): LoopEvent => {
    call.state = { type: 'settled', status, result }
    return { type: 'tool:result', turn_id: open.turn_id, tool_call_id: call.id, status, result, duration_ms: 0 }
  }
  if (judged.ok) {
    handIn.output = judged.value
    yield settle('done', 'accepted')
    return
  }
  const failure = countMisfit(loop, judged.errors)
  if (failure) handIn.failure = failure
  yield settle('error', `The result does not fit the schema: ${judged.errors.join('; ')}`)
}
