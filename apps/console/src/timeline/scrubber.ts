import { emptyProjection, isEventName, type Projection, reduce, type SessionEvent } from '@parley/protocol'
import type { RecordedEvent } from '@parley/protocol/rest'

/** A projection is kept every so many events: no step of the scrubber folds more. */
export const CHECKPOINT_EVENTS = 500

/** What people saw after each event, by the same fold as everywhere else. */
export class Scrubber {
  readonly #session_id: string
  readonly #events: readonly RecordedEvent[]
  readonly #checkpoints: Projection[] = [emptyProjection]

  constructor(session_id: string, events: readonly RecordedEvent[], before?: Scrubber) {
    this.#session_id = session_id
    this.#events = events
    // Of a run that is under way only the end is new.
    if (before && before.#events.every((event, index) => event === events[index]))
      this.#checkpoints = before.#checkpoints
  }

  /** After the first `count` events. */
  at(count: number): Projection {
    const end = Math.min(Math.max(count, 0), this.#events.length)
    const nearest = Math.floor(end / CHECKPOINT_EVENTS)
    for (let next = this.#checkpoints.length; next <= nearest; next++)
      this.#checkpoints.push(
        this.#fold(this.#checkpoints[next - 1]!, (next - 1) * CHECKPOINT_EVENTS, next * CHECKPOINT_EVENTS),
      )
    return this.#fold(this.#checkpoints[nearest]!, nearest * CHECKPOINT_EVENTS, end)
  }

  #fold(state: Projection, from: number, to: number): Projection {
    let folded = state
    for (let index = from; index < to; index++) {
      const event = sessionEvent(this.#session_id, this.#events[index]!)
      if (event) folded = reduce(folded, event)
    }
    return folded
  }
}

/** `undefined`: hidden, or left out of the answer for its length. */
export function sessionEvent(session_id: string, { type, event_seq, data }: RecordedEvent): SessionEvent | undefined {
  if (!isEventName(type) || data === null) return undefined
  return { name: type, payload: { session_id, event_seq, ...data } } as SessionEvent
}
