import {
  emptyPatchModeState,
  endPatches,
  nextSyncAt,
  type PatchModeState,
  takeDueSyncs,
  toSync,
} from '@parley/protocol'
import { readEvent } from '../store/stored-event.ts'
import type { StoredEvent } from '../store/work.ts'
import type { LoadTurn } from './compat-encoder.ts'
import type { Encoder } from './encoder.ts'
import { type Shown, shownOf, shownPatch } from './shown.ts'
import { TurnFold } from '../store/turn-fold.ts'

/** Snapshots only. One per subscription: what it holds back depends on when it sent the last one. */
export class SyncEncoder implements Encoder {
  #position: number
  #marks: PatchModeState = emptyPatchModeState
  readonly #fold: TurnFold
  readonly #loadTurn: LoadTurn
  readonly #now: () => number

  constructor(
    position: number,
    open: readonly StoredEvent[],
    { loadTurn, now }: { loadTurn: LoadTurn; now: () => number },
  ) {
    this.#position = position
    this.#fold = new TurnFold(open)
    this.#loadTurn = loadTurn
    this.#now = now
  }

  get position(): number {
    return this.#position
  }

  missing(event: StoredEvent): string | undefined {
    return event.type === 'turn:patch' ? this.#fold.missing(event.turn_id) : undefined
  }

  async load(turn_id: string): Promise<void> {
    this.#fold.learn(turn_id, await this.#loadTurn(turn_id))
  }

  encode(_cursor: number, event: StoredEvent): readonly Shown[] {
    this.#position = event.event_seq
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
