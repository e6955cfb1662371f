import type {
  ChatEndPayload,
  EventName,
  EventPayload,
  Projection,
  SessionEvent,
  TurnProjection,
} from '@parley/protocol'
import type { Connection } from '../connection/connection.ts'
import { snapshotsSince } from './snapshots-since.ts'

export type SessionListener<Name extends EventName> = (payload: EventPayload<Name>) => void

/** Who hears of a session's events, by their wire names: listeners on its handles, and on the socket. */
export class SessionAudience {
  /** The application subscribed through the socket: it is followed until it unsubscribes there. */
  isOnSocket = false
  readonly #listeners = new Map<EventName, Set<SessionListener<never>>>()
  /** The newest event that has been told. */
  #told = 0
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  on<Name extends EventName>(name: Name, listener: SessionListener<Name>): () => void {
    const listeners = this.#listeners.get(name) ?? new Set()
    this.#listeners.set(name, listeners.add(listener))
    return () => listeners.delete(listener)
  }

  /** A resumed stream may repeat its tail; a catch-up after a gap shows the present again and is always told. */
  tellOnce({ name, payload }: SessionEvent): void {
    const isOld = payload.event_seq > 0 && payload.event_seq <= this.#told && !('replayed' in payload)
    this.#told = Math.max(this.#told, payload.event_seq ?? 0)
    if (!isOld) this.#tell(name, payload)
  }

  /** A run ended out of sight. */
  tellEnd(end: ChatEndPayload): void {
    this.#tell('chat:end', end)
    if (this.isOnSocket) this.#connection.deliver('chat:end', end)
  }

  /** The history stands in place of these turns. Who reads the state sees that; who listens on the socket does not. */
  tellChanges(before: readonly TurnProjection[], now: Projection, session_id: string): void {
    if (!this.isOnSocket) return
    for (const patch of snapshotsSince(before, now, session_id)) this.#connection.deliver('turn:patch', patch)
  }

  #tell<Name extends EventName>(name: Name, payload: EventPayload<Name>): void {
    for (const listener of this.#listeners.get(name) ?? []) (listener as SessionListener<Name>)(payload)
  }
}
