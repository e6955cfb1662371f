import {
  emptyProjection,
  findTurn,
  type PatchEnvelope,
  type Projection,
  reduce,
  type SessionEvent,
  type TurnProjection,
  withRestTurns,
} from '@parley/protocol'
import { readEvent } from './stored-event.ts'
import type { StoredEvent } from './work.ts'

/** A patch, and its turn with that patch applied. `turn` is `null` when nobody knows the turn. */
export type Patched = { patch: PatchEnvelope; turn: TurnProjection | null }

/** The turns under way at one position of a journal, moved on event by event. Turns that ended are let go. */
export class TurnFold {
  #state: Projection = emptyProjection
  readonly #unknown = new Set<string>()

  /** `open`: the events of turns under way, up to the position to start from. */
  constructor(open: readonly StoredEvent[]) {
    for (const event of open) this.apply(readEvent(event))
  }

  /** Ascending by `sequence`. */
  get turns(): readonly TurnProjection[] {
    return this.#state.turns
  }

  get streaming(): TurnProjection[] {
    return this.#state.turns.filter(({ status }) => status === 'streaming')
  }

  find(turn_id: string): TurnProjection | undefined {
    return findTurn(this.#state, turn_id)
  }

  /** The turn of a patch that `learn` must bring before it is applied: a paused one that ended earlier and goes on. */
  missing(turn_id: string | null): string | undefined {
    return turn_id === null || this.find(turn_id) || this.#unknown.has(turn_id) ? undefined : turn_id
  }

  learn(turn_id: string, turn: TurnProjection | undefined): void {
    // Somebody else may have brought it meanwhile, and moved it on.
    if (!this.missing(turn_id)) return
    if (turn) this.#state = withRestTurns(this.#state, [turn])
    else this.#unknown.add(turn_id)
  }

  apply(event: SessionEvent | undefined): Patched | undefined {
    const next = event && foldEvent(this.#state, event)
    if (!next) return undefined
    this.#state = { ...next, needsResync: false }
    if (event.name === 'turn:end') this.#keep((turn) => turn.turn_id !== event.payload.turn_id)
    if (event.name === 'chat:end') this.#keep((turn) => turn.status === 'streaming')
    if (event.name !== 'turn:patch') return undefined
    const turn = this.find(event.payload.turn_id)
    // A turn behind its patch has missed one: better the bare patch than a wrong picture.
    return { patch: event.payload, turn: turn && turn.patch_sequence >= event.payload.sequence ? turn : null }
  }

  #keep(isKept: (turn: TurnProjection) => boolean): void {
    this.#state = { ...this.#state, turns: this.#state.turns.filter(isKept) }
  }
}

/** The projection after an event; `undefined` when it is not what it claims to be. */
function foldEvent(state: Projection, event: SessionEvent): Projection | undefined {
  try {
    return reduce(state, event)
  } catch {
    return undefined
  }
}
