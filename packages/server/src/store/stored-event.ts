import { isEventName, type SessionEvent } from '@parley/protocol'
import { readStored } from './stored-json.ts'
import type { StoredEvent } from './work.ts'

/** A stored event as clients know it; `undefined` for what nobody is shown, and for what cannot be read. */
export function readEvent(stored: StoredEvent): SessionEvent | undefined {
  const payload = isEventName(stored.type) ? readStored(stored.data) : undefined
  return payload && eventOf(stored, payload)
}

/** The same of one that clients know and whose data was read already. */
export function eventOf({ session_id, event_seq, type }: StoredEvent, payload: object): SessionEvent {
  return { name: type, payload: { session_id, event_seq, ...payload } } as SessionEvent
}

/** Its payload as JSON text: the stored text as it is, neither parsed nor written anew. */
export function eventText({ session_id, event_seq, data }: StoredEvent): string {
  const rest = data === '{}' ? '}' : `,${data.slice(1)}`
  return `{"session_id":${JSON.stringify(session_id)},"event_seq":${event_seq}${rest}`
}
