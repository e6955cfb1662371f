import type { SessionEvent, SubscribeOk, TurnProjection } from '@parley/protocol'
import type { Connection } from '../connection/connection.ts'
import type { Ports } from '../ports.ts'
import type { SessionHistory } from './session-history.ts'

export type FollowTasksOptions = {
  sessionId: string
  connection: Connection
  history: SessionHistory
  ports: Ports
}

export type FollowTasksObserver = {
  /** The server accepted a subscription. `hadSince`: it was asked to go on from where we were. */
  subscribed(ack: SubscribeOk, hadSince: boolean): void
  /** The history is at least as new as what came before the question for it; `arrived` is what came since. */
  loaded(turns: readonly TurnProjection[], arrived: readonly SessionEvent[]): void
  failed(error: unknown): void
}

type Task =
  | { is: 'nothing' }
  | { is: 'subscribing' }
  | { is: 'waiting'; cancel: () => void }
  | { is: 'loading'; abort: AbortController; arrived: SessionEvent[] }

const NOTHING: Task = { is: 'nothing' }

/** What is being done to follow a session, one thing at a time: what begins ends what was under way, unheard. */
export class FollowTasks {
  #task: Task = NOTHING
  readonly #options: FollowTasksOptions
  readonly #observer: FollowTasksObserver

  constructor(options: FollowTasksOptions, observer: FollowTasksObserver) {
    this.#options = options
    this.#observer = observer
  }

  subscribe(since: number | null): void {
    const task = this.#begin({ is: 'subscribing' })
    const { sessionId, connection } = this.#options
    connection
      .command('session:subscribe', { session_id: sessionId, patch_mode: 'delta', since }, { isRepeatable: false })
      .then(
        (ack) => {
          if (this.#finish(task)) this.#observer.subscribed(ack, since !== null)
        },
        (error: unknown) => {
          if (this.#finish(task)) this.#observer.failed(error)
        },
      )
  }

  unsubscribe(): void {
    this.stop()
    const { sessionId, connection } = this.#options
    connection.command('session:unsubscribe', { session_id: sessionId }, { isRepeatable: false }).catch(() => {}) // Whoever lost the connection is not subscribed either.
  }

  async load(): Promise<void> {
    const task = this.#begin({ is: 'loading', abort: new AbortController(), arrived: [] })
    let turns: TurnProjection[]
    try {
      turns = await this.#options.history.load(task.abort.signal)
    } catch (error) {
      if (this.#finish(task)) this.#observer.failed(error)
      return
    }
    if (this.#finish(task)) this.#observer.loaded(turns, task.arrived)
  }

  later(action: () => void, ms: number): void {
    this.stop()
    this.#task = { is: 'waiting', cancel: this.#options.ports.later(action, ms) }
  }

  /** An event was folded: if the history is being read, it must be folded again on top. */
  arrived(event: SessionEvent): void {
    if (this.#task.is === 'loading') this.#task.arrived.push(event)
  }

  stop(): void {
    this.#begin(NOTHING)
  }

  #begin<Next extends Task>(next: Next): Next {
    if (this.#task.is === 'waiting') this.#task.cancel()
    if (this.#task.is === 'loading') this.#task.abort.abort()
    this.#task = next
    return next
  }

  /** False: something else has begun since, so the answer is old news. */
  #finish(task: Task): boolean {
    if (task !== this.#task) return false
    this.#task = NOTHING
    return true
  }
}
