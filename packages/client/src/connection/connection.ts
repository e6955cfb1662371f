import type { Ack, CommandName, CommandOk, EventName, EventPayload } from '@parley/protocol'
import { isEventName } from '@parley/protocol'
import type { ClientOptions } from '../resolve-options.ts'
import { Capabilities } from './capabilities.ts'
import { type ClientSocket, newSocket } from './client-socket.ts'
import { type ConnectionEvent, type ConnectionState, nextConnection } from './connection-machine.ts'
import type { ConnectionObserver } from './connection-observer.ts'
import { Credential, unauthorized } from './credential.ts'
import { interceptEmits, type OutgoingCommand, type Reply } from './intercept-emits.ts'
import { type CommandOptions, type CommandPayload, PendingCommands } from './pending-commands.ts'

export type ConnectionOptions = ClientOptions & {
  /** What the server can do beyond the specifications; empty for one without extensions. */
  loadCapabilities(): Promise<ReadonlySet<string>>
  refresh(): Promise<boolean>
  observer: ConnectionObserver
}

/** After the server ended the connection itself; the library's own back-off covers everything else. */
const REOPEN_MS = 1_000

/** The one socket of a client: a thin layer of effects around the table in `connection-machine.ts`. */
export class Connection {
  readonly socket: ClientSocket
  #state: ConnectionState = 'idle'
  #holders = 0
  /** The application uses the socket itself, so only the application closes it. */
  #isClaimed = false
  #cancelReopening: () => void = () => {}
  readonly #options: ConnectionOptions
  readonly #wire: ReturnType<typeof interceptEmits>
  readonly #commands: PendingCommands
  readonly #capabilities: Capabilities
  readonly #credential: Credential

  constructor(options: ConnectionOptions) {
    this.#options = options
    this.socket = newSocket(options.origin, (answer) => this.#credential.authenticate(answer))
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
    this.#commands = new PendingCommands(this.#wire, () => this.#spareIfUnused())
    this.#capabilities = new Capabilities(() => options.loadCapabilities())
    const { socket } = this
    this.#credential = new Credential({ ...options, socket, wire: this.#wire, capabilities: this.#capabilities })
    this.#listen()
  }

  get state(): ConnectionState {
    return this.#state
  }

  /** False until the server's answer is known, and for good with a server that has no extensions. */
  can(capability: string): boolean {
    return this.#capabilities.has(capability)
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
    options: CommandOptions<Name> = {},
  ): Promise<CommandOk[Name]> {
    if (options.signal?.aborted) return Promise.reject(options.signal.reason as Error)
    if (this.#state === 'refused') return Promise.reject(unauthorized())
    return this.#commands.send(name, payload, options)
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
    this.#commands.forward(prepared, { ...reply, answered })
  }

  #spareIfUnused(): void {
    if (this.#holders > 0 || this.#isClaimed) return
    // A server drops what it has not looked at yet when the goodbye arrives: a last stop must be answered first.
    if (this.#state === 'connected' && this.#commands.all.length > 0) return
    this.#dispatch('spare')
  }

  #listen(): void {
    this.socket.on('connect', () => this.#dispatch('opened'))
    this.socket.on('disconnect', (reason) => {
      this.#dispatch(reason === 'io server disconnect' ? 'dismissed' : 'lost')
      const unanswered = this.#commands.all
      this.#options.observer.lost()
      // Later than the library's own clean-up, which still answers those that asked for a timeout.
      queueMicrotask(() => {
        // A server that does not know client_message_id would do the work twice.
        this.#commands.repeat(unanswered, { canRepeat: this.can('since') })
        this.#spareIfUnused()
      })
    })
    this.socket.on('connect_error', (error: Error & { data?: { code?: string } }) => {
      if (this.socket.active) return this.#dispatch('failed')
      const isCredential = error.message === 'unauthorized' || error.data?.code === 'unauthorized'
      this.#dispatch(isCredential && !this.#credential.hasAnother() ? 'denied' : 'dismissed')
    })
  }

  #receive(name: string, payload: unknown): void {
    if (!isEventName(name)) return
    const { code } = payload as { code?: unknown }
    const isDenied = name === 'system:error' && code === 'unauthorized'
    // With another token we are back in a moment: the disconnection follows, and nobody needs to hear more.
    if (isDenied && !this.#credential.hasAnother()) this.#dispatch('denied')
    this.#options.observer.received(name, payload as EventPayload)
  }

  #dispatch(event: ConnectionEvent): void {
    const { state, effect } = nextConnection(this.#state, event)
    const isChanged = state !== this.#state
    this.#state = state
    if (state !== 'reconnecting') this.#cancelReopening()
    if (isChanged) this.#options.observer.changed(state)
    if (isChanged && state === 'refused') this.#commands.failAll(unauthorized())
    switch (effect) {
      case 'open':
        return this.#open()
      case 'reopen':
        this.#cancelReopening = this.#options.ports.later(() => this.#open(), REOPEN_MS)
        return
      case 'close':
        return this.#wire.disconnect()
      case 'refresh':
        return void this.#refresh()
      case undefined:
    }
  }

  #open(): void {
    // Asked in parallel with the handshake, so that the answer costs no round trip of its own.
    this.#capabilities.ask()
    this.#wire.connect()
  }

  async #refresh(): Promise<void> {
    const isRenewed = await this.#credential.refresh()
    if (isRenewed && this.#state === 'refused') this.#dispatch('want')
  }
}

function isAck(value: unknown): value is Ack {
  return typeof value === 'object' && value !== null && 'status' in value
}
