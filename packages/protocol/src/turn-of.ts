import type { TurnEnvelope, TurnProjectionPayload } from './events.ts'
import type { TurnProjection } from './turn.ts'

const ENVELOPE: Record<keyof TurnEnvelope, true> = {
  session_id: true,
  event_seq: true,
  replayed: true,
  solution_id: true,
  template_id: true,
}

/** The turn inside a `turn:start` or `turn:end`: the payload without its envelope. */
export function turnOf(payload: TurnProjectionPayload): TurnProjection {
  return Object.fromEntries(Object.entries(payload).filter(([key]) => !Object.hasOwn(ENVELOPE, key))) as TurnProjection
}
