import type { EventName, SessionEvent, SubscribeOk, TurnProjection } from '@parley/protocol'
import { AgentError } from '@parley/protocol'
import type { Connection } from '../connection/connection.ts'
import type { ConnectionState } from '../connection/connection-machine.ts'
import type { Ports } from '../ports.ts'
import type { Rest } from '../rest/rest.ts'
import type { AgentSessionState } from './agent-session-state.ts'
import { SessionAudience, type SessionListener } from './session-audience.ts'
import { SessionFold } from './session-fold.ts'
import { SessionFollower } from './session-follower.ts'
import { SessionHistory } from './session-history.ts'
import { SessionSnapshot } from './session-snapshot.ts'

export type SessionStoreOptions = {
  sessionId: string
  connection: Connection
  rest: Rest
  ports: Ports
  /** Nobody follows the session any more. */
  onIdle: () => void
}

/**
 * One followed session as an external store, shared by all its users inside one client: the fold knows what was said, the
 * follower keeps it up with the server, and this tells everybody.
 */
export class SessionStore {
  readonly #options: SessionStoreOptions
  readonly #fold = new SessionFold()
  readonly #audience: SessionAudience
  readonly #history: SessionHistory
  readonly #follower: SessionFollower
  readonly #snapshot: SessionSnapshot
  /** How many handles of the SDK follow it. */
  #holders = 0

  constructor(options: SessionStoreOptions) {
    this.#options = options
    this.#audience = new SessionAudience(options.connection)
    this.#history = new SessionHistory(options.sessionId, options.rest)
    const parts = { ...options, fold: this.#fold, audience: this.#audience, history: this.#history }
    this.#follower = new SessionFollower({ ...parts, onChange: () => this.#snapshot.refresh() })
    this.#snapshot = new SessionSnapshot({ ...parts, follower: this.#follower })
  }

  getState(): AgentSessionState {
    return this.#snapshot.get()
  }

  subscribe(onChange: () => void): () => void {
    return this.#snapshot.subscribe(onChange)
  }

  /** Each event once, also when a resumed stream repeats its tail. */
  on<Name extends EventName>(name: Name, listener: SessionListener<Name>): () => void {
    return this.#audience.on(name, listener)
  }

  /** Why the session cannot be followed at all; null while it can or may. */
  get failure(): unknown {
    return this.#follower.failure
  }

  /** Follows the session, history included, until the returned function is called. */
  hold({ limit = null }: { limit?: number | null } = {}): () => void {
    const release = this.#options.connection.hold()
    this.#holders += 1
    this.#follower.follow(limit)
    return () => {
      this.#holders -= 1
      if (this.#holders === 0 && !this.#audience.isOnSocket) {
        this.#follower.dispatch('release')
        this.#options.onIdle()
      }
      release()
    }
  }

  /** The application follows the session through the socket: its own subscription is on the way. */
  adopt(): void {
    this.#audience.isOnSocket = true
    this.#follower.dispatch('adopt')
  }

  /** An accepted message subscribed the application's socket. */
  adoptAccepted(): void {
    this.#audience.isOnSocket = true
    if (this.#follower.state === 'idle') this.#follower.dispatch('caughtUp')
  }

  /** The application unsubscribes. True when that may go out, because nobody else needs the session. */
  abandon(): boolean {
    this.#audience.isOnSocket = false
    if (this.#holders > 0) return false
    this.#follower.leave()
    this.#options.onIdle()
    return true
  }

  /** The server accepted a subscription of the application. */
  subscribed(ack: SubscribeOk, hadSince: boolean): void {
    this.#follower.subscribed(ack, hadSince)
  }

  /** The server refused one. */
  unsubscribed(): void {
    if (this.#holders === 0) this.abandon()
  }

  lost(): void {
    this.#follower.lost()
  }

  connectionChanged(state: ConnectionState): void {
    if (state === 'refused')
      this.#follower.failed(new AgentError('unauthorized', 'The server did not accept the credential.'))
    const isFollowed = this.#holders > 0 || this.#audience.isOnSocket
    // Another try, perhaps with another credential.
    if (state === 'connecting' && this.#follower.state === 'gone' && isFollowed) this.#follower.dispatch('follow')
    this.#snapshot.refresh()
  }

  /** Folds one event, gives a patch back what the wire left out, and tells everybody. */
  receive(event: SessionEvent, { isDelta }: { isDelta: boolean }): void {
    const hadGap = this.#fold.projection.needsResync
    const { branch } = this.#fold.projection
    this.#follower.arrived(this.#fold.add(event, { isDelta }))
    if (event.name === 'session:deleted') this.#follower.dispatch('deleted')
    this.#snapshot.refresh()
    this.#audience.tellOnce(event)
    if (this.#fold.isAstray && this.#fold.projection.branch !== branch) this.#follower.strayed()
    if (this.#fold.projection.needsResync && !hadGap) this.#follower.missed(event)
  }

  accepted(run_id: string): void {
    this.#fold.accepted(run_id)
    this.#snapshot.refresh()
  }

  /** Turns the application read over REST by itself. */
  absorb(turns: readonly TurnProjection[]): void {
    this.#fold.absorb(turns)
    this.#snapshot.refresh()
  }

  /** Reads `count` more turns before the oldest known one. */
  async loadOlder(count: number, signal?: AbortSignal): Promise<void> {
    this.#fold.prepend(await this.#history.loadOlder(count, signal))
    this.#snapshot.refresh()
  }
}
