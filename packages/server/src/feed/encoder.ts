import type { StoredEvent } from '../store/work.ts'
import type { Shown } from './shown.ts'

/** Puts live events into the form that a subscription asked for. */
export interface Encoder {
  /** Where it stands: the number of the last event it has seen. */
  readonly position: number
  /** The turn to `load` before this event can be encoded. */
  missing(event: StoredEvent): string | undefined
  load(turn_id: string): Promise<void>
  /**
   * What is shown of the event that follows `cursor`. `undefined` when the encoder is elsewhere and no longer knows: the
   * reader has to start again from a snapshot.
   */
  encode(cursor: number, event: StoredEvent): readonly Shown[] | undefined
  /** When something held back is due, in milliseconds since 1970; `null` when nothing is. */
  dueAt(): number | null
  takeDue(): readonly Shown[]
}
