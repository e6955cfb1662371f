import type { JsonValue } from '../ports.ts'
import type { CallScope } from './call-scope.ts'
import type { LoopEvent, RunError } from './loop-events.ts'
import type { Call } from './loop-state.ts'

export type CallEnd = {
  status: 'done' | 'error' | 'cancelled'
  result: JsonValue
  /** By `elapsed`; without it the call took no time. */
  startedAt?: number
  /** Ends the run, whoever carries it on. */
  ends?: RunError
}

/** The one way in which the loop brings a call to its end: from here on it has a result, and that goes on record. */
export function* settle(call: Call, { open, env }: CallScope, end: CallEnd): Generator<LoopEvent, void> {
  const { status, result, startedAt, ends } = end
  call.state = { type: 'settled', status, result }
  yield {
    type: 'tool:result',
    turn_id: open.turn_id,
    tool_call_id: call.id,
    status,
    result,
    duration_ms: startedAt === undefined ? 0 : Math.round(env.clock.elapsed() - startedAt),
    ...(ends && { ends }),
  }
}
