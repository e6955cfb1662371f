import type { Branch, Projection, Session, SessionEvent, SubscribeOk, TurnProjection } from '@parley/protocol'
import { emptyProjection, findTurn, followPath, isOnPath, reduce, withRestTurns } from '@parley/protocol'
import { derive, NOTHING_DERIVED } from './agent-session-state.ts'
import { covers } from './covers.ts'
import { copyOf, fillPatch } from './fill-patch.ts'
import { isolateEvent } from './isolate-event.ts'

/** What is known of a session: its history, and its events folded on top. Knows no network and tells nobody. */
export class SessionFold {
  #projection: Projection = emptyProjection
  #derived = NOTHING_DERIVED
  #turns = emptyProjection.turns
  /** Where these come from, so that they stay the same until something changes. */
  #turnsOf = emptyProjection.turns
  #branch: Branch | null = null
  #isAstray = false
  /** Why the last run failed. */
  #runError: string | null = null

  get projection(): Projection {
    return this.#projection
  }

  /** Those of the branch that is being talked on. While they have not all been read, the ones that were shown before. */
  get turns(): readonly TurnProjection[] {
    return this.#turns
  }

  /** The branch of these turns. */
  get branch(): Branch | null {
    return this.#branch
  }

  /** The conversation took a path with turns that were never read, or went back to before all that were. */
  get isAstray(): boolean {
    return this.#isAstray
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
    if (event.name === 'session:updated' && event.payload.branch) this.#turnTo(event.payload.branch)
    this.#show(reduce(this.#projection, own), { isText: isText(event) })
    if (event.name === 'turn:patch' && isDelta) {
      const turn = findTurn(this.#projection, event.payload.turn_id)
      if (turn && (turn.patch_sequence ?? 0) >= event.payload.sequence) fillPatch(event.payload, turn)
    }
    if (event.name === 'chat:start') this.#runError = null
    if (event.name === 'system:error') this.#runError = event.payload.message
    return own
  }

  /** Where a subscription found the session. Past a gap our own number counts: a reconnect asks for what was missed. */
  subscribed({ session, run_id, event_seq, branch }: SubscribeOk): void {
    const { turns, needsResync } = this.#projection
    if (event_seq < this.#projection.event_seq) return
    if (branch && !isSamePath(branch, this.#projection.branch)) {
      if (turns.length > 0) this.#turnTo(branch)
      this.#projection = { ...this.#projection, branch, turns: followPath(turns, branch.path) }
    }
    if (!needsResync) this.#projection = { ...this.#projection, event_seq, run_id, ...knownOf(session) }
    this.#show(this.#projection)
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
    this.#isAstray = false
    // If not even the history closed the gap, the next one will be noticed again.
    this.#show({ ...arrived.reduce(reduce, fresh), needsResync: false })
  }

  /** Turns that somebody else read. Feedback has no number that would tell an old reading: what an event told holds. */
  absorb(turns: readonly TurnProjection[]): void {
    const told = new Map(this.#projection.turns.map(({ turn_id, feedback }) => [turn_id, feedback]))
    const read = turns.map((turn) => {
      const feedback = told.get(turn.turn_id)
      return { ...copyOf(turn), ...(feedback !== undefined && { feedback }) }
    })
    this.#show(withRestTurns(this.#projection, read))
  }

  /** Turns before the oldest known one. */
  prepend(older: readonly TurnProjection[]): void {
    const { branch, turns } = this.#projection
    const all = [...older, ...turns]
    this.#show({ ...this.#projection, turns: branch ? followPath(all, branch.path) : all })
  }

  #turnTo({ path }: Branch): void {
    const { branch, turns } = this.#projection
    const isBeforeAll = turns.length > 0 && !turns.some(({ sequence }) => isOnPath(path, sequence))
    this.#isAstray ||= !branch || !covers(branch.path, path) || (isBeforeAll && path[0]!.from < turns[0]!.sequence)
  }

  #show(projection: Projection, { isText = false } = {}): void {
    this.#projection = projection
    if (this.#isAstray) return
    this.#branch = projection.branch
    const { turns } = projection
    if (turns === this.#turnsOf) return
    this.#turnsOf = turns
    this.#turns = turns.some(({ deprecated }) => deprecated) ? turns.filter(({ deprecated }) => !deprecated) : turns
    if (!isText) this.#derived = derive(this.#turns, this.#derived)
  }
}

function isSamePath(one: Branch, other: Branch | null): boolean {
  return other !== null && covers(one.path, other.path) && covers(other.path, one.path)
}

function isText(event: SessionEvent): boolean {
  return event.name === 'turn:patch' && event.payload.patch_type === 'add_content'
}

function knownOf({ status, mode, intent, model }: Session) {
  return { status, mode: mode ?? null, intent, model: model ?? null }
}
