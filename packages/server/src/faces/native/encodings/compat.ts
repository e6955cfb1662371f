import { emptyPatchModeState, endPatches, type PatchModeState, toCompat } from '@parley/protocol/wire'
import type { Encoding, Live, Place } from '../../../feed/encoding.ts'
import { readEvent } from '../../../store/stored-event.ts'
import { TurnFold } from '../../../store/turn-fold.ts'
import type { StoredEvent } from '../../../store/work.ts'
import { delta } from './delta.ts'
import { type Shown, shownOf, shownPatch } from './shown.ts'

/** Patches with full values, folded once for all subscribers of a session. In a replay full values may be left out. */
export const compat: Encoding<Shown> = {
  ...delta,
  live: (place) => new CompatLive(place),
  lengthOf: ({ payload }) => payload.length,
}

/** Its clock is the journal's, so that it does not matter who comes first. */
class CompatLive implements Live<Shown> {
  #marks: PatchModeState = emptyPatchModeState
  readonly #fold: TurnFold
  readonly #loadTurn: Place['loadTurn']

  constructor({ snapshot, loadTurn }: Place) {
    this.#fold = new TurnFold(snapshot.open)
    this.#loadTurn = loadTurn
  }

  missing(event: StoredEvent): string | undefined {
    return event.type === 'turn:patch' ? this.#fold.missing(event.turn_id) : undefined
  }

  async load(turn_id: string): Promise<void> {
    this.#fold.learn(turn_id, await this.#loadTurn(turn_id))
  }

  encode(event: StoredEvent): readonly Shown[] {
    const next = readEvent(event)
    const patched = this.#fold.apply(next)
    if (next?.name === 'turn:end') this.#marks = endPatches(this.#marks, next.payload.turn_id)
    const plain = shownOf(event)
    if (!patched?.turn) return plain ? [plain] : []
    const { state, patch } = toCompat(this.#marks, { patch: patched.patch, turn: patched.turn, now: event.at })
    this.#marks = state
    return [shownPatch(patch)]
  }

  dueAt(): null {
    return null
  }

  takeDue(): readonly Shown[] {
    return []
  }
}
