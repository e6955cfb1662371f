import type { Projection, Session, SessionEvent, SubscribeOk, TurnProjection } from '@parley/protocol'
import { emptyProjection, findTurn, reduce, withRestTurns } from '@parley/protocol'
import { derive, NOTHING_DERIVED } from './agent-session-state.ts'
import { copyOf, fillPatch } from './fill-patch.ts'
import { isolateEvent } from './isolate-event.ts'

/** What is known of a session: its history, and its events folded on top. Knows no network and tells nobody. */
export class SessionFold {
  #projection: Projection = emptyProjection
  #derived = NOTHING_DERIVED
  /** Why the last run failed. */
  #runError: string | null = null

  get projection(): Projection {
    return this.#projection
  }

  get derived() {
    return this.#derived
  }

  get runError(): string | null {
    return this.#runError
  }

  /** Folds one event, and gives a patch back what the wire left out. Returns the copy that was folded. */
  add(event: SessionEvent, { isDelta }: { isDelta: boolean }): SessionEvent {
    const own = isolateEvent(event)
    this.#projection = reduce(this.#projection, own)
    if (!isText(event)) this.#derived = derive(this.#projection.turns, this.#derived)
    if (event.name === 'turn:patch' && isDelta) {
      const turn = findTurn(this.#projection, event.payload.turn_id)
      if (turn && (turn.patch_sequence ?? 0) >= event.payload.sequence) fillPatch(event.payload, turn)
    }
    if (event.name === 'chat:start') this.#runError = null
    if (event.name === 'system:error') this.#runError = event.payload.message
    return own
  }

  /** Where a subscription found the session. Past a gap our own number counts: a reconnect asks for what was missed. */
  subscribed({ session, run_id, event_seq }: SubscribeOk): void {
    if (event_seq < this.#projection.event_seq || this.#projection.needsResync) return
    this.#projection = { ...this.#projection, event_seq, run_id, ...knownOf(session) }
  }

  /** A message was accepted: the run exists from now on, not only from its first event. */
  accepted(run_id: string): void {
    const { run_id: active, turns } = this.#projection
    // A message that is sent again is accepted with the run it began, which may be over.
    if (active !== run_id && turns.some((turn) => turn.run_id === run_id)) return
    this.#runError = null
    this.#projection = { ...this.#projection, run_id, status: 'running' }
  }

  /** Puts the history in place of what was known, and folds again on top what came while it was read. */
  replace(turns: readonly TurnProjection[], arrived: readonly SessionEvent[]): void {
    const fresh = withRestTurns({ ...this.#projection, turns: [], needsResync: false }, turns)
    // If not even the history closed the gap, the next one will be noticed again.
    this.#setTurns({ ...arrived.reduce(reduce, fresh), needsResync: false })
  }

  /** Turns that somebody else read. Feedback has no number that would tell an old reading: what an event told holds. */
  absorb(turns: readonly TurnProjection[]): void {
    const told = new Map(this.#projection.turns.map(({ turn_id, feedback }) => [turn_id, feedback]))
    const read = turns.map((turn) => {
      const feedback = told.get(turn.turn_id)
      return { ...copyOf(turn), ...(feedback !== undefined && { feedback }) }
    })
    this.#setTurns(withRestTurns(this.#projection, read))
  }

  /** Turns before the oldest known one. */
  prepend(older: readonly TurnProjection[]): void {
    this.#setTurns({ ...this.#projection, turns: [...older, ...this.#projection.turns] })
  }

  #setTurns(projection: Projection): void {
    if (projection === this.#projection) return
    this.#projection = projection
    this.#derived = derive(projection.turns, this.#derived)
  }
}

function isText(event: SessionEvent): boolean {
  return event.name === 'turn:patch' && event.payload.patch_type === 'add_content'
}

function knownOf({ status, mode, intent, model }: Session) {
  return { status, mode: mode ?? null, intent, model: model ?? null }
}
