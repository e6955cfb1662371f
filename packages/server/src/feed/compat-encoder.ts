import { emptyPatchModeState, endPatches, type PatchModeState, toCompat, type TurnProjection } from '@parley/protocol'
import { readEvent } from '../store/stored-event.ts'
import type { StoredEvent } from '../store/work.ts'
import type { Encoder } from './encoder.ts'
import { type Shown, shownOf, shownPatch } from './shown.ts'
import { TurnFold } from '../store/turn-fold.ts'

export type LoadTurn = (turn_id: string) => Promise<TurnProjection | undefined>

/** How much of its latest output an encoder keeps for subscribers that come a little later. */
const KEPT_EVENTS = 256
const KEPT_CHARACTERS = 1024 * 1024

/**
 * Patches with full values. One encoder serves all subscribers of a session: the first to reach an event has it folded
 * and written, the others get the same text. Its clock is the journal's, so that it does not matter who comes first.
 */
export class CompatEncoder implements Encoder {
  #position: number
  #marks: PatchModeState = emptyPatchModeState
  readonly #fold: TurnFold
  readonly #loadTurn: LoadTurn
  readonly #kept = new Map<number, readonly Shown[]>()
  #keptCharacters = 0

  constructor(position: number, open: readonly StoredEvent[], loadTurn: LoadTurn) {
    this.#position = position
    this.#fold = new TurnFold(open)
    this.#loadTurn = loadTurn
  }

  get position(): number {
    return this.#position
  }

  missing(event: StoredEvent): string | undefined {
    if (event.type !== 'turn:patch' || event.event_seq <= this.#position) return undefined
    return this.#fold.missing(event.turn_id)
  }

  async load(turn_id: string): Promise<void> {
    this.#fold.learn(turn_id, await this.#loadTurn(turn_id))
  }

  encode(cursor: number, event: StoredEvent): readonly Shown[] | undefined {
    const known = this.#kept.get(event.event_seq)
    if (known) return known
    if (cursor !== this.#position) return undefined
    const shown = this.#encodeNext(event)
    this.#position = event.event_seq
    this.#keep(event.event_seq, shown)
    return shown
  }

  dueAt(): null {
    return null
  }

  takeDue(): readonly Shown[] {
    return []
  }

  #encodeNext(event: StoredEvent): readonly Shown[] {
    const next = readEvent(event)
    const patched = this.#fold.apply(next)
    if (next?.name === 'turn:end') this.#marks = endPatches(this.#marks, next.payload.turn_id)
    const plain = shownOf(event)
    if (!patched?.turn) return plain ? [plain] : []
    const { state, patch } = toCompat(this.#marks, { patch: patched.patch, turn: patched.turn, now: event.at })
    this.#marks = state
    return [shownPatch(patch)]
  }

  #keep(event_seq: number, shown: readonly Shown[]): void {
    this.#kept.set(event_seq, shown)
    this.#keptCharacters += lengthOf(shown)
    for (const [oldest, old] of this.#kept) {
      if (this.#kept.size <= KEPT_EVENTS && this.#keptCharacters <= KEPT_CHARACTERS) return
      if (oldest === event_seq) return
      this.#kept.delete(oldest)
      this.#keptCharacters -= lengthOf(old)
    }
  }
}

function lengthOf(shown: readonly Shown[]): number {
  return shown.reduce((sum, { payload }) => sum + payload.length, 0)
}
