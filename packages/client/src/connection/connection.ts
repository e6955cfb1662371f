import type {
  Ack,
  AuthExpiry,
  ClientToServerEvents,
  CommandName,
  CommandOk,
  EventName,
  EventPayload,
} from '@parley/protocol'
import { AgentError, type ErrorCode, isEventName } from '@parley/protocol'
import { Manager } from 'socket.io-client'
import type { ClientSocket } from './client-socket.ts'
import { type ConnectionEvent, type ConnectionState, nextConnection } from './connection-machine.ts'
import { interceptEmits, type OutgoingCommand, type Reply } from './intercept-emits.ts'
import type { ClientOptions } from '../resolve-options.ts'

export type CommandPayload<Name extends CommandName> = Parameters<ClientToServerEvents[Name]>[0]

/** What the followed sessions need to hear. */
export type ConnectionObserver = {
  /** Before any listener of the application; may fill in what the wire left out. */
  received(name: EventName, payload: EventPayload): void
  /** The connection went: whatever is sent now goes out first when it is back. */
  lost(): void
  changed(state: ConnectionState): void
  /** The application sends a command of its own. Returns it as it should go out, or null to keep it back. */
  outgoing(command: OutgoingCommand): OutgoingCommand | null
  /** A command of the application was acknowledged. */
  acknowledged(command: OutgoingCommand, ack: Ack): void
}

export type ConnectionOptions = ClientOptions & {
  /** What the server can do beyond the seeds; empty for one without extensions. */
  loadCapabilities(): Promise<ReadonlySet<string>>
  refresh(): Promise<boolean>
  observer: ConnectionObserver
}

/** After the server ended the connection itself; the library's own back-off covers everything else. */
const REOPEN_MS = 1_000
/** How long before its end a token is renewed: a quarter of what is left, at most this. */
const RENEW_LEAD_MS = 5 * 60_000
/** When there was no other token, or the question for one failed. */
const ASK_AGAIN_MS = 5_000
const CLIENT = { name: 'parley-client', version: '0.1.0' }

type Pending = { name: CommandName; payload: object; isRepeatable: boolean; reply: Reply; transmissions: number }

type CommandOptions<Name extends CommandName> = {
  isRepeatable?: boolean
  signal?: AbortSignal | undefined
  /**
   * Called before any event that follows the acknowledgement. Not for one that had to be repeated: what it started may
   * be over by then.
   */
  onAccepted?: (ack: CommandOk[Name]) => void
}

/** The one socket of a client: a thin layer of effects around the table in `connection-machine.ts`. */
export class Connection {
  readonly socket: ClientSocket
  #state: ConnectionState = 'idle'
  /** Commands without an acknowledgement yet. */
  readonly #pending = new Set<Pending>()
  #holders = 0
  /** The application uses the socket itself, so only the application closes it. */
  #isClaimed = false
  #hasRefreshed = false
  #capabilities: ReadonlySet<string> | null = null
  #loadingCapabilities: Promise<unknown> | null = null
  #cancelReopening: () => void = () => {}
  /** The token that this connection came in with, or goes on with. */
  #used: string | null = null
  #cancelRenewal: () => void = () => {}
  readonly #options: ConnectionOptions
  readonly #wire: ReturnType<typeof interceptEmits>

  constructor(options: ConnectionOptions) {
    this.#options = options
    const manager = new Manager(options.origin, {
      path: '/socket.io/',
      autoConnect: false,
      // Behind several instances polling needs sticky sessions; where websockets are blocked it still works.
      transports: ['websocket', 'polling'],
      tryAllTransports: true,
      withCredentials: true,
      reconnectionDelay: 500,
      reconnectionDelayMax: 5_000,
    })
    this.socket = manager.socket('/', { auth: (answer: (auth: object) => void) => this.#authenticate(answer) })
    this.#wire = interceptEmits(this.socket, {
      connect: () => {
        this.#isClaimed = true
        this.#dispatch('want')
      },
      disconnect: () => {
        options.tokens.forget()
        this.#dispatch('leave')
      },
      emitted: () => {
        this.#isClaimed = true
        this.#dispatch('emit')
      },
      command: (command, reply) => this.#forward(command, reply),
      received: (name, payload) => this.#receive(name, payload),
    })
    this.#listen()
  }

  get state(): ConnectionState {
    return this.#state
  }

  /** False until the server's answer is known, and for good with a server that has no extensions. */
  can(capability: string): boolean {
    return this.#capabilities?.has(capability) ?? false
  }

  /** Keeps the connection open until the returned function is called. A script ends once nobody holds it any more. */
  hold(): () => void {
    this.#holders += 1
    this.#dispatch('want')
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      this.#holders -= 1
      this.#spareIfUnused()
    }
  }

  /**
   * Sends a command and waits for its acknowledgement; an error in it rejects. A repeatable one is sent again when the
   * connection was lost before the answer came, with the same payload, so that the server recognises it.
   */
  command<Name extends CommandName>(
    name: Name,
    payload: CommandPayload<Name>,
    { isRepeatable = true, signal, onAccepted }: CommandOptions<Name> = {},
  ): Promise<CommandOk[Name]> {
    return new Promise((resolve, reject) => {
      const failed = (error: Error) => {
        signal?.removeEventListener('abort', abort)
        reject(error)
      }
      const answered = ([answer]: unknown[]) => {
        const ack = answer as Ack<Name>
        if (ack.status !== 'ok') return failed(errorOfAck(ack))
        signal?.removeEventListener('abort', abort)
        if (pending.transmissions === 1) onAccepted?.(ack)
        resolve(ack)
      }
      const pending: Pending = { name, payload, isRepeatable, reply: { answered, failed }, transmissions: 0 }
      const abort = () => this.#fail(pending, signal?.reason as Error)
      if (signal?.aborted) return reject(signal.reason as Error)
      if (this.#state === 'refused') return reject(unauthorized())
      signal?.addEventListener('abort', abort, { once: true })
      this.#transmit(pending)
    })
  }

  /** Hands an event of our own making to the application's listeners, as if it had come over the wire. */
  deliver<Name extends EventName>(name: Name, payload: EventPayload<Name>): void {
    // As the socket calls them: those added with `once` take themselves off through `this`.
    for (const listener of this.socket.listeners(name))
      (listener as (this: ClientSocket, payload: unknown) => void).call(this.socket, payload)
  }

  #forward(command: OutgoingCommand, reply: Reply): void {
    const { observer } = this.#options
    const prepared = observer.outgoing(command)
    if (!prepared) return reply.answered([{ status: 'ok', message: null, code: null }])
    const answered = (answer: unknown[]) => {
      const body = answer.at(-1)
      if (isAck(body)) observer.acknowledged(prepared, body)
      reply.answered(answer)
    }
    this.#transmit({ ...prepared, reply: { ...reply, answered }, transmissions: 0 })
  }

  #transmit(pending: Pending): void {
    this.#pending.add(pending)
    pending.transmissions += 1
    this.#wire.send(pending.name, pending.payload, (...answer: unknown[]) => {
      if (this.#pending.delete(pending)) pending.reply.answered(answer)
      this.#spareIfUnused()
    })
  }

  #repeat(unanswered: readonly Pending[]): void {
    for (const pending of unanswered) {
      if (!this.#pending.has(pending)) continue
      // A server that does not know client_message_id would do the work twice.
      if (pending.isRepeatable && this.can('since')) this.#transmit(pending)
      else this.#fail(pending, new Error('The connection was lost before the server answered.'))
    }
  }

  #spareIfUnused(): void {
    if (this.#holders > 0 || this.#isClaimed) return
    // A server drops what it has not looked at yet when the goodbye arrives: a last stop must be answered first.
    if (this.#state === 'connected' && this.#pending.size > 0) return
    this.#dispatch('spare')
  }

  #fail(pending: Pending, error: Error): void {
    if (this.#pending.delete(pending)) pending.reply.failed(error)
  }

  #listen(): void {
    this.socket.on('connect', () => {
      this.#hasRefreshed = false
      this.#dispatch('opened')
    })
    this.socket.on('auth:expires', (expiry) => this.#renewBefore(expiry))
    this.socket.on('disconnect', (reason) => {
      this.#cancelRenewal()
      this.#dispatch(reason === 'io server disconnect' ? 'dismissed' : 'lost')
      const unanswered = [...this.#pending]
      this.#options.observer.lost()
      // Later than the library's own clean-up, which still answers those that asked for a timeout.
      queueMicrotask(() => {
        this.#repeat(unanswered)
        this.#spareIfUnused()
      })
    })
    this.socket.on('connect_error', (error: Error & { data?: { code?: string } }) => {
      if (this.socket.active) return this.#dispatch('failed')
      const isCredential = error.message === 'unauthorized' || error.data?.code === 'unauthorized'
      this.#dispatch(isCredential && !this.#hasAnother() ? 'denied' : 'dismissed')
    })
  }

  #receive(name: string, payload: unknown): void {
    if (!isEventName(name)) return
    const { code } = payload as { code?: unknown }
    // With another token we are back in a moment: the disconnection follows, and nobody needs to hear more.
    if (name === 'system:error' && code === 'unauthorized' && !this.#hasAnother()) this.#dispatch('denied')
    this.#options.observer.received(name, payload as EventPayload)
  }

  #dispatch(event: ConnectionEvent): void {
    const { state, effect } = nextConnection(this.#state, event)
    const isChanged = state !== this.#state
    this.#state = state
    if (state !== 'reconnecting') this.#cancelReopening()
    if (isChanged) this.#options.observer.changed(state)
    if (isChanged && state === 'refused') for (const pending of this.#pending) this.#fail(pending, unauthorized())
    switch (effect) {
      case 'open':
        return this.#open()
      case 'reopen':
        this.#cancelReopening = this.#options.ports.later(() => this.#open(), REOPEN_MS)
        return
      case 'close':
        return this.#wire.disconnect()
      case 'refresh':
        return this.#refresh()
      case undefined:
    }
  }

  #open(): void {
    // Asked in parallel with the handshake, so that the answer costs no round trip of its own.
    if (!this.#capabilities)
      this.#loadingCapabilities ??= this.#options
        .loadCapabilities()
        .then((capabilities) => {
          this.#capabilities = capabilities
        })
        .catch(() => {})
        .finally(() => {
          this.#loadingCapabilities = null
        })
    this.#wire.connect()
  }

  #authenticate(answer: (auth: object) => void): void {
    const { engine } = this.socket.io
    void Promise.resolve(this.#loadingCapabilities)
      .then(() => this.#options.tokens.read())
      .then(
        (token) => {
          if (engine !== this.socket.io.engine) return // the transport was replaced while we asked
          this.#used = token
          const language = this.#options.readLanguage()
          answer({ ...(token && { token }), ...(language && { language }), patch_mode: 'delta', client: CLIENT })
        },
        // Whoever makes tokens cannot be reached: the library tries again with a new transport.
        () => void this.#options.ports.later(() => engine.close(), ASK_AGAIN_MS),
      )
  }

  /** Asks, once per connection, for another token than the one that was refused; the next connection reads it. */
  #hasAnother(): boolean {
    if (this.#used === null || this.#hasRefreshed) return false
    const other = this.#options.tokens.renew({ insteadOf: this.#used, because: 'refused' })
    if (other === null) return false
    this.#hasRefreshed = true
    // Whether it was in vain, the next connection finds out.
    Promise.resolve(other).catch(() => {})
    return true
  }

  #renewBefore({ expires_in_ms: left }: AuthExpiry): void {
    this.#cancelRenewal()
    if (left === null || this.#options.tokens.isFixed) return
    this.#renewIn(left - Math.min(RENEW_LEAD_MS, left / 4))
  }

  #renewIn(ms: number): void {
    // The socket keeps a script alive while it is needed; this need not.
    this.#cancelRenewal = this.#options.ports.later(() => void this.#renew(), ms, { isSpare: true })
  }

  /** Goes on with another token on the same socket: nothing is closed, no stream is cut. */
  async #renew(): Promise<void> {
    const { id } = this.socket
    const insteadOf = this.#used
    if (insteadOf === null) return
    const token = await this.#ask(insteadOf)
    if (id !== this.socket.id || !this.socket.connected) return
    if (token === null) return this.#renewIn(ASK_AGAIN_MS)
    this.#wire.send('auth:renew', { token }, (ack: Partial<AuthExpiry> & { status?: string }) => {
      // Refused: the server closes the socket when the old one ends, and we come back with the next.
      if (ack.status !== 'ok') return
      this.#used = token
      this.#renewBefore({ expires_at: ack.expires_at ?? null, expires_in_ms: ack.expires_in_ms ?? null })
    })
  }

  async #ask(insteadOf: string): Promise<string | null> {
    try {
      return await this.#options.tokens.renew({ insteadOf, because: 'expiring' })
    } catch {
      return null
    }
  }

  /** A long-lived page outlives its sign-in: renew it once, then try again. */
  #refresh(): void {
    if (!this.#options.isBrowser || this.#hasRefreshed) return
    this.#hasRefreshed = true
    void this.#options.refresh().then((isRenewed) => {
      if (isRenewed && this.#state === 'refused') this.#dispatch('want')
    })
  }
}

function isAck(value: unknown): value is Ack {
  return typeof value === 'object' && value !== null && 'status' in value
}

function errorOfAck({ code, message, ...details }: { code: string; message: string }): AgentError {
  return new AgentError(code as ErrorCode, message, { details })
}

function unauthorized(): AgentError {
  return new AgentError('unauthorized', 'The server did not accept the credential. Check the key, then connect again.')
}
