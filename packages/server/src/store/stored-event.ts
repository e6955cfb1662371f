import { isEventName, type SessionEvent } from '@parley/protocol'
import { readStored } from './stored-json.ts'
import type { StoredEvent } from './work.ts'

/** A stored event as clients know it; `undefined` for what nobody is shown, and for what cannot be read. */
export function readEvent({ session_id, event_seq, type, data }: StoredEvent): SessionEvent | undefined {
  const payload = isEventName(type) ? readStored(data) : undefined
  return payload && ({ name: type, payload: { session_id, event_seq, ...payload } } as SessionEvent)
}

/** Its payload as JSON text: the stored text as it is, neither parsed nor written anew. */
export function eventText({ session_id, event_seq, data }: StoredEvent): string {
  const rest = data === '{}' ? '}' : `,${data.slice(1)}`
  return `{"session_id":${JSON.stringify(session_id)},"event_seq":${event_seq}${rest}`
}
