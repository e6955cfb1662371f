import type {
  ChatEndPayload,
  EventName,
  Projection,
  Session,
  SessionEvent,
  SubscribeOk,
  TurnProjection,
} from '@parley/protocol'
import { AgentError, emptyProjection, findTurn, reduce, withRestTurns } from '@parley/protocol'
import type { Ports } from '../ports.ts'
import { type AgentSessionState, derive, isSameState, NOTHING_DERIVED } from './agent-session-state.ts'
import type { Connection } from '../connection/connection.ts'
import type { ConnectionState } from '../connection/connection-machine.ts'
import { EventListeners, type SessionListener } from './event-listeners.ts'
import { copyOf, fillPatch } from './fill-patch.ts'
import { type FollowEvent, type FollowState, nextFollow } from './follow-machine.ts'
import { isolateEvent } from './isolate-event.ts'
import type { Rest } from '../rest/rest.ts'
import { SessionHistory } from './session-history.ts'
import { unseenEnd } from './unseen-end.ts'

export type SessionStoreOptions = {
  sessionId: string
  connection: Connection
  rest: Rest
  ports: Ports
  /** Nobody follows the session any more. */
  onIdle: () => void
}

const RETRY_MS = { first: 500, most: 10_000 }

/**
 * One followed session: folds its events, reads the history when events alone are not enough, and keeps the result as
 * an external store. All users of the session inside one client share it.
 */
export class SessionStore {
  readonly #options: SessionStoreOptions
  #follow: FollowState = 'idle'
  #projection: Projection = emptyProjection
  #derived = NOTHING_DERIVED
  readonly #history: SessionHistory
  #snapshot: AgentSessionState | null = null
  readonly #subscribers = new Set<() => void>()
  readonly #listeners = new EventListeners()

  #holders = 0
  /** The application subscribed through the socket: it is followed until it unsubscribes there. */
  #isAdopted = false
  #wantsHistory = false
  /** A subscription was accepted: from then on `since` says where we are, even when nothing has happened yet. */
  #hasFollowed = false
  /** The history is in the projection and no event is missing after it. */
  #isComplete = false
  /** Events that arrived while the history is being read: folded again on top of it. */
  #sinceLoad: SessionEvent[] | null = null
  /** The run that was active when the connection went. */
  #runAtLoss: string | null = null
  /** The end of a run that ended while nobody could tell us. */
  #unseenEnd: ChatEndPayload | null = null

  /** Why the last run failed. */
  #runError: string | null = null
  /** Why the session cannot be followed right now. */
  #trouble: unknown = null
  /** Counts attempts to subscribe or load: an answer to an older one is old news. */
  #attempt = 0
  #failures = 0
  #cancelRetry: () => void = () => {}
  #loading: AbortController | null = null

  constructor(options: SessionStoreOptions) {
    this.#options = options
    this.#history = new SessionHistory(options.sessionId, options.rest)
  }

  getState(): AgentSessionState {
    return (this.#snapshot ??= this.#takeSnapshot())
  }

  subscribe(onChange: () => void): () => void {
    this.#subscribers.add(onChange)
    return () => this.#subscribers.delete(onChange)
  }

  /** Each event once, also when a resumed stream repeats its tail. */
  on<Name extends EventName>(name: Name, listener: SessionListener<Name>): () => void {
    return this.#listeners.on(name, listener)
  }

  /** Why the session cannot be followed at all; null while it can or may. */
  get failure(): unknown {
    return this.#follow === 'gone'
      ? (this.#trouble ?? new AgentError('session_not_found', 'The session is gone.'))
      : null
  }

  /** Follows the session, history included, until the returned function is called. */
  hold({ limit = null }: { limit?: number | null } = {}): () => void {
    const release = this.#options.connection.hold()
    this.#holders += 1
    const isWider = this.#wantsHistory && limit === null && this.#history.limit !== null
    if (!this.#wantsHistory || isWider) this.#history.limit = limit
    if (isWider) this.#isComplete = false
    this.#wantsHistory = true
    const isHistoryDue = !this.#isComplete && (this.#follow === 'live' || (this.#follow === 'loading' && isWider))
    this.#dispatch(isHistoryDue ? 'behind' : 'follow')
    return () => {
      this.#holders -= 1
      if (this.#holders === 0 && !this.#isAdopted) {
        this.#dispatch('release')
        this.#options.onIdle()
      }
      release()
    }
  }

  /** The application follows the session through the socket: its own subscription is on the way. */
  adopt(): void {
    this.#isAdopted = true
    this.#dispatch('adopt')
  }

  /** An accepted message subscribed the application's socket. */
  adoptAccepted(): void {
    const isNew = this.#follow === 'idle'
    this.#isAdopted = true
    if (isNew) this.#dispatch('caughtUp')
  }

  /** The application unsubscribes. True when that may go out, because nobody else needs the session. */
  abandon(): boolean {
    this.#isAdopted = false
    if (this.#holders > 0) return false
    this.#follow = 'idle'
    this.#stopWaiting()
    this.#options.onIdle()
    return true
  }

  lost(): void {
    this.#runAtLoss = this.#projection.run_id
    this.#dispatch('lost')
  }

  connectionChanged(state: ConnectionState): void {
    if (state === 'refused') this.#fail(new AgentError('unauthorized', 'The server did not accept the credential.'))
    const isFollowed = this.#holders > 0 || this.#isAdopted
    // Another try, perhaps with another credential.
    if (state === 'connecting' && this.#follow === 'gone' && isFollowed) this.#dispatch('follow')
    this.#changed()
  }

  /** Folds one event, gives a patch back what the wire left out, and tells everybody. */
  receive(event: SessionEvent, { isDelta }: { isDelta: boolean }): void {
    const before = this.#projection
    const own = isolateEvent(event)
    this.#projection = reduce(before, own)
    this.#sinceLoad?.push(own)
    if (!isText(event)) this.#derived = derive(this.#projection.turns, this.#derived)
    if (event.name === 'turn:patch' && isDelta) {
      const turn = findTurn(this.#projection, event.payload.turn_id)
      if (turn && (turn.patch_sequence ?? 0) >= event.payload.sequence) fillPatch(event.payload, turn)
    }
    if (event.name === 'chat:start') this.#runError = null
    if (event.name === 'system:error') this.#runError = event.payload.message
    if (event.name === 'session:deleted') this.#dispatch('deleted')
    this.#changed()
    this.#listeners.tellOnce(event)
    if (this.#projection.needsResync && !before.needsResync) this.#missed(event)
  }

  #missed(event: SessionEvent): void {
    this.#isComplete = false
    // An unknown turn lies before the window that was read: only the whole history has it.
    if (event.name === 'turn:patch' && !findTurn(this.#projection, event.payload.turn_id)) this.#history.limit = null
    this.#dispatch('gap')
  }

  /** The server accepted a subscription. `hadSince`: it was asked to go on from where we were. */
  subscribed({ session, run_id, event_seq, replayed }: SubscribeOk, hadSince: boolean): void {
    this.#failures = 0
    this.#trouble = null
    this.#hasFollowed = true
    const isBehind = hadSince && !replayed
    if (isBehind) this.#isComplete = false
    if (isBehind && this.#runAtLoss && run_id === null) this.#unseenEnd = unseenEnd(this.#runAtLoss, session, event_seq)
    this.#runAtLoss = null
    const { needsResync } = this.#projection
    if (event_seq >= this.#projection.event_seq && !needsResync)
      this.#projection = { ...this.#projection, event_seq, run_id, ...knownOf(session) }
    this.#changed()
    const isHistoryNeeded = (this.#wantsHistory || isBehind || needsResync) && !this.#isComplete
    this.#dispatch(isHistoryNeeded ? 'behind' : 'caughtUp')
  }

  /** A message was accepted: the run exists from now on, not only from its first event. */
  accepted(run_id: string): void {
    this.#runError = null
    this.#projection = { ...this.#projection, run_id, status: 'running' }
    this.#changed()
  }

  /** The server refused a subscription of the application. */
  unsubscribed(): void {
    if (this.#holders === 0) this.abandon()
  }

  /** Turns the application read over REST by itself. */
  absorb(turns: readonly TurnProjection[]): void {
    this.#setTurns(withRestTurns(this.#projection, turns.map(copyOf)))
  }

  /** Reads `count` more turns before the oldest known one. */
  async loadOlder(count: number, signal?: AbortSignal): Promise<void> {
    const older = await this.#history.loadOlder(count, signal)
    this.#setTurns({ ...this.#projection, turns: [...older, ...this.#projection.turns] })
  }

  #dispatch(event: FollowEvent): void {
    const { state, effect } = nextFollow(this.#follow, event)
    this.#follow = state
    this.#changed()
    switch (effect) {
      case 'subscribe':
        return this.#subscribeNow()
      case 'subscribeLater':
        return this.#later(() => this.#subscribeNow())
      case 'load':
        return void this.#load()
      case 'loadLater':
        return this.#later(() => void this.#load())
      case 'unsubscribe':
        return this.#unsubscribeNow()
      case undefined:
    }
  }

  #subscribeNow(): void {
    this.#stopWaiting()
    const attempt = this.#attempt
    const { sessionId, connection } = this.#options
    const { event_seq } = this.#projection
    const since = this.#hasFollowed || event_seq > 0 ? event_seq : null
    connection
      .command('session:subscribe', { session_id: sessionId, patch_mode: 'delta', since }, { isRepeatable: false })
      .then(
        (ack) => {
          if (attempt === this.#attempt) this.subscribed(ack, since !== null)
        },
        (error: unknown) => {
          if (attempt === this.#attempt) this.#fail(error)
        },
      )
  }

  #unsubscribeNow(): void {
    this.#stopWaiting()
    this.#options.connection
      .command('session:unsubscribe', { session_id: this.#options.sessionId }, { isRepeatable: false })
      .catch(() => {}) // Whoever lost the connection is not subscribed either.
  }

  /**
   * Reads the history and puts it in place of what we had. It is at least as new as everything folded before the request
   * went out, and what came since is folded again on top: nothing can fall in between.
   */
  async #load(): Promise<void> {
    this.#stopWaiting()
    const attempt = this.#attempt
    this.#loading = new AbortController()
    this.#sinceLoad = []
    let turns: TurnProjection[]
    try {
      turns = await this.#history.load(this.#loading.signal)
    } catch (error) {
      if (attempt === this.#attempt) this.#fail(error)
      return
    }
    if (attempt !== this.#attempt) return
    this.#failures = 0
    this.#trouble = null
    this.#replaceHistory(turns)
    this.#finishLoad()
  }

  #replaceHistory(turns: readonly TurnProjection[]): void {
    const known = this.#projection
    const fresh = withRestTurns({ ...known, turns: [], needsResync: false }, turns)
    const now = (this.#sinceLoad ?? []).reduce(reduce, fresh)
    this.#sinceLoad = null
    this.#setTurns(now)
    if (this.#isAdopted) this.#showChanges(known.turns)
  }

  #finishLoad(): void {
    this.#isComplete = true
    // If not even the history closed the gap, the next one will be noticed again.
    if (this.#projection.needsResync) this.#projection = { ...this.#projection, needsResync: false }
    const end = this.#unseenEnd
    this.#unseenEnd = null
    this.#dispatch('loaded')
    if (!end) return
    this.#listeners.tell('chat:end', end)
    if (this.#isAdopted) this.#options.connection.deliver('chat:end', end)
  }

  /** Listeners on the socket missed the patches that led here; a snapshot per changed turn brings them up to date. */
  #showChanges(before: readonly TurnProjection[]): void {
    const known = new Map(before.map((turn) => [turn.turn_id, turn]))
    for (const turn of this.#projection.turns) {
      const { turn_id, loop_id, patch_sequence, status } = turn
      const old = known.get(turn_id)
      if (old?.patch_sequence === patch_sequence && old.status === status) continue
      const { event_seq } = this.#projection
      const session_id = this.#options.sessionId
      const envelope = { session_id, event_seq, sequence: patch_sequence ?? 0, turn_id, loop_id }
      this.#options.connection.deliver('turn:patch', { ...envelope, patch_type: 'sync', data: { turn: copyOf(turn) } })
    }
  }

  #fail(error: unknown): void {
    this.#trouble = error
    this.#dispatch(isFinal(error) ? 'refused' : 'failed')
  }

  #later(action: () => void): void {
    this.#stopWaiting()
    const ms = Math.min(RETRY_MS.first * 2 ** this.#failures, RETRY_MS.most)
    this.#cancelRetry = this.#options.ports.later(action, ms)
    this.#failures += 1
  }

  /** Whatever is under way belongs to the past. */
  #stopWaiting(): void {
    this.#attempt += 1
    this.#cancelRetry()
    this.#loading?.abort()
    this.#loading = null
    this.#sinceLoad = null
  }

  #setTurns(projection: Projection): void {
    if (projection === this.#projection) return
    this.#projection = projection
    this.#derived = derive(projection.turns, this.#derived)
    this.#changed()
  }

  #changed(): void {
    const before = this.#snapshot
    const now = this.#takeSnapshot()
    if (before && isSameState(before, now)) return
    this.#snapshot = now
    for (const onChange of this.#subscribers) onChange()
  }

  #takeSnapshot(): AgentSessionState {
    const { turns, status, mode, intent, model, run_id, tasks, isDeleted } = this.#projection
    return {
      sessionId: this.#options.sessionId,
      turns,
      hasOlder: this.#history.hasOlder,
      status,
      mode,
      intent,
      model,
      runId: run_id,
      isStreaming: run_id !== null || status === 'running',
      ...this.#derived,
      tasks,
      connection: this.#options.connection.state,
      isReady: this.#follow === 'live' && this.#isComplete,
      isDeleted,
      isGone: this.#follow === 'gone',
      errorMessage: this.#trouble ? messageOf(this.#trouble) : this.#runError,
    }
  }
}

function isText(event: SessionEvent): boolean {
  return event.name === 'turn:patch' && event.payload.patch_type === 'add_content'
}

function knownOf({ status, mode, intent, model }: Session) {
  return { status, mode: mode ?? null, intent, model: model ?? null }
}

/** Trying again would not help. */
function isFinal(error: unknown): boolean {
  const { status, code } = error as { status?: number; code?: string }
  return (
    [401, 403, 404].includes(status ?? 0) || ['unauthorized', 'forbidden', 'session_not_found'].includes(code ?? '')
  )
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
