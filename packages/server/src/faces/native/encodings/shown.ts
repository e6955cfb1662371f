import { type EventName, isEventName, type PatchEnvelope, type SessionEvent } from '@parley/protocol'
import { eventText } from '../../../store/stored-event.ts'
import type { StoredEvent } from '../../../store/work.ts'

/** An event as a client sees it, its payload already as JSON text. `at`: when it was stored, if that is known. */
export type Shown = {
  readonly name: EventName
  readonly event_seq: number
  readonly payload: string
  readonly at?: number
}

/** Live readers share the stored event, so all of them share the text made of it. */
const shownEvents = new WeakMap<StoredEvent, Shown>()

/** The event as it lies in the journal, its text neither parsed nor written anew; `undefined` for what nobody is shown. */
export function shownOf(event: StoredEvent): Shown | undefined {
  if (!isEventName(event.type)) return undefined
  const known = shownEvents.get(event)
  if (known) return known
  const shown = { name: event.type, event_seq: event.event_seq, payload: eventText(event), at: event.at }
  shownEvents.set(event, shown)
  return shown
}

/** An event that stands in no journal. */
export function shownEvent({ name, payload }: SessionEvent): Shown {
  return { name, event_seq: payload.event_seq, payload: JSON.stringify(payload) }
}

export function shownPatch(patch: PatchEnvelope): Shown {
  return { name: 'turn:patch', event_seq: patch.event_seq, payload: JSON.stringify(patch) }
}
