import {
  emptyPatchModeState,
  endPatches,
  nextSyncAt,
  type PatchModeState,
  takeDueSyncs,
  toSync,
} from '@parley/protocol/wire'
import type { Encoding, Live, Place } from '../../../feed/encoding.ts'
import { readEvent } from '../../../store/stored-event.ts'
import { TurnFold } from '../../../store/turn-fold.ts'
import type { StoredEvent } from '../../../store/work.ts'
import { delta } from './delta.ts'
import { type Shown, shownOf, shownPatch } from './shown.ts'
import { SyncReplay } from './sync-replay.ts'

/** Snapshots of turns only, never an increment. */
export const sync: Encoding<Shown> = {
  ...delta,
  replay: (place) => new SyncReplay(place),
  live: (place) => new SyncLive(place),
}

/** One per subscription: what it holds back depends on when it sent the last one. */
class SyncLive implements Live<Shown> {
  #marks: PatchModeState = emptyPatchModeState
  readonly #fold: TurnFold
  readonly #loadTurn: Place['loadTurn']
  readonly #now: () => number

  constructor({ snapshot, loadTurn, now }: Place) {
    this.#fold = new TurnFold(snapshot.open)
    this.#loadTurn = loadTurn
    this.#now = now
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
    if (!patched) return [shownOf(event)].filter((shown) => shown !== undefined)
    if (!patched.turn) return []
    const { state, patch } = toSync(this.#marks, { patch: patched.patch, turn: patched.turn, now: this.#now() })
    this.#marks = state
    return patch ? [shownPatch(patch)] : []
  }

  dueAt(): number | null {
    return nextSyncAt(this.#marks)
  }

  takeDue(): readonly Shown[] {
    const { state, patches } = takeDueSyncs(this.#marks, this.#now())
    this.#marks = state
    return patches.map(shownPatch)
  }
}
