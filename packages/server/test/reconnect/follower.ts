import {
  emptyProjection,
  isEventName,
  type PatchMode,
  type Projection,
  reduce,
  type SessionEvent,
  type TurnProjection,
  withRestTurns,
} from '@parley/protocol'
import { io, type Socket } from 'socket.io-client'

export type FollowerOptions = {
  url: string
  key: string
  session_id: string
  mode: PatchMode
  /** Asks for what it missed; otherwise it takes the picture it is given, and reads the messages when the run is over. */
  usesSince: boolean
  messages: () => Promise<TurnProjection[]>
}

/** A client that loses its connection again and again and keeps what it knows. */
export class Follower implements Disposable {
  projection: Projection = emptyProjection
  /** Every event in the order it came, over all connections. */
  readonly events: SessionEvent[] = []
  readonly socket: Socket
  connections = 0
  /** How often `since` could not be honoured. */
  refused = 0
  /** How often a patch did not follow on what a catch-up had given. */
  gaps = 0
  readonly #options: FollowerOptions
  readonly #changed = new Set<() => void>()
  #isCaughtUp = false

  constructor(options: FollowerOptions) {
    this.#options = options
    this.socket = io(options.url, {
      auth: { token: options.key, patch_mode: options.mode },
      transports: ['websocket'],
      forceNew: true,
      reconnectionDelay: 1,
      reconnectionDelayMax: 5,
      randomizationFactor: 0,
    })
    this.socket.on('connect', () => {
      this.connections += 1
      // Cut again meanwhile: the next connection catches up.
      void this.#catchUp().catch(() => undefined)
    })
    this.socket.on('disconnect', () => {
      this.#isCaughtUp = false
    })
    this.socket.onAny((name: string, payload: object) => {
      if (!isEventName(name)) return
      const event = { name, payload } as unknown as SessionEvent
      this.events.push(event)
      const { needsResync } = this.projection
      this.projection = reduce(this.projection, event)
      if (this.projection.needsResync && !needsResync) this.gaps += 1
      this.#tell()
      if (name === 'chat:end' && !options.usesSince) void this.#readMessages(0, null)
    })
  }

  get isCaughtUp(): boolean {
    return this.socket.connected && this.#isCaughtUp
  }

  /** Resolves once `fits` is true; looks after every event and every connection. */
  async until(fits: () => boolean, what: string, timeoutMs = 20_000): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const timer = setTimeout(
      () => reject(new Error(`Waited for ${what}; at ${this.projection.event_seq}, ${this.events.length} events`)),
      timeoutMs,
    )
    const look = () => fits() && resolve()
    this.#changed.add(look)
    look()
    try {
      await promise
    } finally {
      clearTimeout(timer)
      this.#changed.delete(look)
    }
  }

  [Symbol.dispose](): void {
    this.socket.disconnect()
  }

  async #catchUp(): Promise<void> {
    const { session_id, usesSince } = this.#options
    const { event_seq } = this.projection
    const isFirst = this.events.length === 0
    const ack = (await this.socket
      .timeout(5_000)
      .emitWithAck('session:subscribe', { session_id, ...(usesSince && !isFirst && { since: event_seq }) })) as {
      status: string
      replayed: boolean
      event_seq: number
      run_id: string | null
    }
    if (ack.status !== 'ok') throw new Error('subscribing failed')
    if (usesSince && !isFirst && !ack.replayed) this.refused += 1
    // While a run is active, the picture that came before the acknowledgement is all there is to know.
    const hasPicture = !usesSince && ack.run_id !== null
    if (!hasPicture && (isFirst || !ack.replayed)) await this.#readMessages(ack.event_seq, ack.run_id)
    this.#isCaughtUp = true
    this.#tell()
  }

  async #readMessages(event_seq: number, run_id: string | null): Promise<void> {
    const turns = await this.#options.messages()
    this.projection = {
      ...withRestTurns(this.projection, turns),
      ...(run_id === null && this.projection.event_seq <= event_seq && { run_id: null }),
      event_seq: Math.max(this.projection.event_seq, event_seq),
    }
    this.#tell()
  }

  #tell(): void {
    for (const look of [...this.#changed]) look()
  }
}
