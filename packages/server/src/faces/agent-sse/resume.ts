import { AgentError } from '@parley/protocol'
import type { Principal } from '../../auth/principal.ts'
import type { FoundEvent, Sessions } from '../../sessions/service.ts'
import { parseEventId } from './event-ids.ts'
import { Refusal } from './refusal.ts'

/** Where a client stands. `isEnd`: at the end of a run; whether all of that was told is for the run to say. */
export type Resumed = { after: number; isEnd: boolean; event: Exclude<FoundEvent, 'pruned'> }

type Asked = { sessions: Sessions; session_id: string; lastEventId: string }

/** [S10.6] An id that nobody was given is a bad request; one whose event is forgotten cannot be gone on from. */
export async function resumeFrom(principal: Principal, { sessions, session_id, lastEventId }: Asked): Promise<Resumed> {
  const place = parseEventId(lastEventId)
  const event = place && (await sessions.findEvent(principal, session_id, place.event_seq))
  if (event === 'pruned') throw expired()
  if (!place || !event || event.at !== place.at)
    throw new AgentError('invalid_payload', 'Last-Event-ID: There is no such event in this session.')
  return { after: place.position, isEnd: event.type === 'chat:end', event }
}

export function expired(): Refusal {
  return new Refusal(
    'RESUME_EXPIRED',
    'What was said there is no longer kept event by event. Read the messages instead.',
  )
}
