import type { SessionEvent, TurnProjection } from '@parley/protocol'
import type { Snapshot } from '../store/journal.ts'
import type { StoredEvent } from '../store/work.ts'

/** How a face shows a journal: `Out` is what it makes of an event. Order, cursors and times are the feed's. */
export type Encoding<Out> = {
  /** What stands in no journal: a picture of what is under way, an end that was jumped over, that the session is gone. */
  told: (event: SessionEvent) => readonly Out[]
  /** For what a reader missed, up to the head of a snapshot. */
  replay: (place: Place) => Replay<Out>
  /** For what comes after it. */
  live: (place: Place) => Live<Out>
  /**
   * Given, all readers of a session share one `live`, so that an event is encoded once; it must hold nothing back, and the
   * encoding must be one value for all of them. Says how many characters are kept for those who come a little later.
   */
  lengthOf?: (shown: Out) => number
}

/** Where in a session's journal an encoder starts, and what it may ask for. */
export type Place = {
  session_id: string
  snapshot: Snapshot
  /** A finished turn, in the reader's words. */
  loadTurn: (turn_id: string) => Promise<TurnProjection | undefined>
  now: () => number
}

/** Shows events that a client missed, up to the head of a snapshot. */
export interface Replay<Out> {
  show(event: StoredEvent): Promise<readonly Out[]>
  /** After the last event. */
  finish(): Promise<readonly Out[]>
}

/** Puts live events into the form that a reader asked for. */
export interface Live<Out> {
  /** The turn to `load` before this event can be encoded. */
  missing(event: StoredEvent): string | undefined
  load(turn_id: string): Promise<void>
  /**
   * What is shown of the event that follows `cursor`. `undefined` when a shared encoder is elsewhere and no longer knows:
   * the reader has to start again from a snapshot.
   */
  encode(event: StoredEvent, cursor: number): readonly Out[] | undefined
  /** When something held back is due, in milliseconds since 1970; `null` when nothing is. */
  dueAt(): number | null
  takeDue(): readonly Out[]
}

/** An encoding that takes events one by one and remembers nothing between them that a reader could miss. */
export function oneByOne<Out>({
  told,
  stored,
}: {
  told: (event: SessionEvent) => readonly Out[]
  stored: (event: StoredEvent) => readonly Out[]
}): Encoding<Out> {
  const live: Live<Out> = {
    missing: () => undefined,
    load: async () => {},
    encode: stored,
    dueAt: () => null,
    takeDue: () => [],
  }
  const replay: Replay<Out> = { show: async (event) => stored(event), finish: async () => [] }
  return { told, replay: () => replay, live: () => live }
}
