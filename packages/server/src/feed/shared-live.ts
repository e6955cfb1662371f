import type { StoredEvent } from '../store/work.ts'
import type { Live } from './encoding.ts'

/** How much of its latest output an encoder keeps for readers that come a little later. */
const KEPT_EVENTS = 256
const KEPT_CHARACTERS = 1024 * 1024

/** One encoder for all readers of a session: the first to reach an event has it encoded, the others get the same. */
export class SharedLive<Out> implements Live<Out> {
  #position: number
  readonly #live: Live<Out>
  readonly #lengthOf: (shown: Out) => number
  readonly #kept = new Map<number, readonly Out[]>()
  #keptCharacters = 0

  constructor(live: Live<Out>, position: number, lengthOf: (shown: Out) => number) {
    this.#live = live
    this.#position = position
    this.#lengthOf = lengthOf
  }

  /** The number of the last event it has seen. */
  get position(): number {
    return this.#position
  }

  missing(event: StoredEvent): string | undefined {
    return event.event_seq <= this.#position ? undefined : this.#live.missing(event)
  }

  load(turn_id: string): Promise<void> {
    return this.#live.load(turn_id)
  }

  encode(event: StoredEvent, cursor: number): readonly Out[] | undefined {
    const known = this.#kept.get(event.event_seq)
    if (known) return known
    if (cursor !== this.#position) return undefined
    const shown = this.#live.encode(event, cursor)
    this.#position = event.event_seq
    if (shown) this.#keep(event.event_seq, shown)
    return shown
  }

  dueAt(): null {
    return null
  }

  takeDue(): readonly Out[] {
    return []
  }

  #keep(event_seq: number, shown: readonly Out[]): void {
    this.#kept.set(event_seq, shown)
    this.#keptCharacters += this.#charactersOf(shown)
    for (const [oldest, old] of this.#kept) {
      if (this.#kept.size <= KEPT_EVENTS && this.#keptCharacters <= KEPT_CHARACTERS) return
      if (oldest === event_seq) return
      this.#kept.delete(oldest)
      this.#keptCharacters -= this.#charactersOf(old)
    }
  }

  #charactersOf(shown: readonly Out[]): number {
    return shown.reduce((sum, one) => sum + this.#lengthOf(one), 0)
  }
}
