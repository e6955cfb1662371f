import type { SessionEvent, SubscribeOk, TurnProjection } from '@parley/protocol'
import { AgentError, findTurn } from '@parley/protocol'
import { type FollowEvent, type FollowState, nextFollow } from './follow-machine.ts'
import { FollowTasks, type FollowTasksObserver, type FollowTasksOptions } from './follow-tasks.ts'
import type { SessionAudience } from './session-audience.ts'
import type { SessionFold } from './session-fold.ts'
import { Trouble } from './trouble.ts'
import { UnseenEnd } from './unseen-end.ts'

export type FollowerOptions = FollowTasksOptions & {
  fold: SessionFold
  audience: SessionAudience
  /** The fold, or how well it is followed, may be different. */
  onChange: () => void
}

/**
 * `nothing`: a subscription begins at the present. `part`: `since` says where we are, even when nothing has happened yet.
 * `whole`: the history is in the fold, too, and no event is missing after it.
 */
type Known = 'nothing' | 'part' | 'whole'

/** Keeps the fold of a session up with the server: asks the table in `follow-machine.ts` what to do next, and does it. */
export class SessionFollower implements FollowTasksObserver {
  readonly trouble = new Trouble()
  #state: FollowState = 'idle'
  #known: Known = 'nothing'
  readonly #unseenEnd = new UnseenEnd()
  readonly #tasks: FollowTasks
  readonly #options: FollowerOptions

  constructor(options: FollowerOptions) {
    this.#options = options
    this.#tasks = new FollowTasks(options, this)
  }

  get state(): FollowState {
    return this.#state
  }

  get failure(): unknown {
    if (this.#state !== 'gone') return null
    return this.trouble.error ?? new AgentError('session_not_found', 'The session is gone.')
  }

  get isReady(): boolean {
    return this.#state === 'live' && this.#known === 'whole'
  }

  /** Somebody wants to see the last `limit` turns, or all with null, and what happens from now on. */
  follow(limit: number | null): void {
    const isWider = this.#options.history.want(limit)
    if (isWider) this.#lack()
    const isHistoryDue = this.#known !== 'whole' && (this.#state === 'live' || (this.#state === 'loading' && isWider))
    this.dispatch(isHistoryDue ? 'behind' : 'follow')
  }

  /** The application unsubscribes by itself. */
  leave(): void {
    this.#state = 'idle'
    this.#tasks.stop()
  }

  lost(): void {
    this.#unseenEnd.lost(this.#options.fold.projection.run_id)
    this.dispatch('lost')
  }

  /** An event was folded. */
  arrived(event: SessionEvent): void {
    this.#tasks.arrived(event)
  }

  /** The event showed that others before it are missing. */
  missed(event: SessionEvent): void {
    const { fold, history } = this.#options
    this.#lack()
    // An unknown turn lies before the window that was read: only the whole history has it.
    if (event.name === 'turn:patch' && !findTurn(fold.projection, event.payload.turn_id)) history.wantAll()
    this.dispatch('gap')
  }

  /** The conversation took a path that was not read. */
  strayed(): void {
    this.#lack()
    const isUnderWay = this.#state === 'live' || this.#state === 'loading'
    // What is being read may be the old path.
    if (isUnderWay && this.#options.history.isWanted) this.dispatch('behind')
  }

  subscribed(ack: SubscribeOk, hadSince: boolean): void {
    const { fold, history, onChange } = this.#options
    const isBehind = hadSince && !ack.replayed
    this.trouble.ended()
    if (isBehind || this.#known === 'nothing') this.#known = 'part'
    this.#unseenEnd.subscribed(ack, isBehind)
    fold.subscribed(ack)
    if (fold.isAstray) this.#lack()
    onChange()
    const isHistoryNeeded = history.isWanted || isBehind || fold.projection.needsResync
    this.dispatch(isHistoryNeeded && this.#known !== 'whole' ? 'behind' : 'caughtUp')
  }

  loaded(turns: readonly TurnProjection[], arrived: readonly SessionEvent[]): void {
    const { sessionId, fold, audience, onChange } = this.#options
    const before = fold.projection.turns
    this.trouble.ended()
    fold.replace(turns, arrived)
    onChange()
    audience.tellChanges(before, fold.projection, sessionId)
    this.#known = 'whole'
    const end = this.#unseenEnd.take()
    this.dispatch('loaded')
    if (end) audience.tellEnd(end)
  }

  failed(error: unknown): void {
    this.trouble.began(error)
    this.dispatch(this.trouble.isFinal ? 'refused' : 'failed')
  }

  dispatch(event: FollowEvent): void {
    const { state, effect } = nextFollow(this.#state, event)
    this.#state = state
    this.#options.onChange()
    switch (effect) {
      case 'subscribe':
        return this.#subscribe()
      case 'subscribeLater':
        return this.#tasks.later(() => this.#subscribe(), this.trouble.nextPauseMs())
      case 'load':
        return void this.#tasks.load()
      case 'loadLater':
        return this.#tasks.later(() => void this.#tasks.load(), this.trouble.nextPauseMs())
      case 'unsubscribe':
        return this.#tasks.unsubscribe()
      case undefined:
    }
  }

  #subscribe(): void {
    const { event_seq } = this.#options.fold.projection
    this.#tasks.subscribe(this.#known !== 'nothing' || event_seq > 0 ? event_seq : null)
  }

  #lack(): void {
    if (this.#known === 'whole') this.#known = 'part'
  }
}
