import type { EventName, EventPayload, SessionEvent } from '@parley/protocol'

export type SessionListener<Name extends EventName> = (payload: EventPayload<Name>) => void

/** Who wants to hear of a session's events, by their wire names. */
export class EventListeners {
  readonly #listeners = new Map<EventName, Set<SessionListener<never>>>()
  /** The newest event that has been told. */
  #told = 0

  on<Name extends EventName>(name: Name, listener: SessionListener<Name>): () => void {
    const listeners = this.#listeners.get(name) ?? new Set()
    this.#listeners.set(name, listeners.add(listener))
    return () => listeners.delete(listener)
  }

  tell<Name extends EventName>(name: Name, payload: EventPayload<Name>): void {
    for (const listener of this.#listeners.get(name) ?? []) (listener as SessionListener<Name>)(payload)
  }

  /** A resumed stream may repeat its tail; a catch-up after a gap shows the present again and is always told. */
  tellOnce({ name, payload }: SessionEvent): void {
    const isOld = payload.event_seq > 0 && payload.event_seq <= this.#told && !('replayed' in payload)
    this.#told = Math.max(this.#told, payload.event_seq ?? 0)
    if (!isOld) this.tell(name, payload)
  }
}
