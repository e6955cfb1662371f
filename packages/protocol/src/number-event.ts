import type { NewSessionEvent, SessionEvent } from './events.ts'

/** Gives an event its number. */
export function numberEvent(event: NewSessionEvent, event_seq: number): SessionEvent {
  return { name: event.name, payload: { ...event.payload, event_seq } } as SessionEvent
}
