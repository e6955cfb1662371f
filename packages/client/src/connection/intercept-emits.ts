import { type CommandName, isCommandName } from '@parley/protocol'
import type { ClientSocket } from './client-socket.ts'

/** A command of the application on its way out. */
export type OutgoingCommand = { name: CommandName; payload: SessionPayload; isRepeatable: boolean }
export type SessionPayload = { session_id: string; [field: string]: unknown }

/** Where the answer to a command goes. */
export type Reply = {
  /** As the library hands it over: `[ack]`, or with a timeout `[null, ack]` or `[error]`. */
  answered(answer: unknown[]): void
  failed(error: Error): void
}

export type Interceptor = {
  connect(): void
  disconnect(): void
  /** Anything at all is about to be sent. */
  emitted(): void
  command(command: OutgoingCommand, reply: Reply): void
  received(name: string, payload: unknown): void
}

/**
 * [W14.2] The application gets the library's own socket. These are the only places where we stand in between: on that one
 * object, through its public methods. Returns those methods as they were, for the SDK's own use.
 */
export function interceptEmits(socket: ClientSocket, interceptor: Interceptor) {
  const emit = socket.emit.bind(socket) as (name: string, ...args: unknown[]) => ClientSocket
  const connect = socket.connect.bind(socket)
  const disconnect = socket.disconnect.bind(socket)
  const offAny = socket.offAny.bind(socket)
  const receive = (name: string, payload: unknown) => interceptor.received(name, payload)

  const overrides = {
    connect() {
      interceptor.connect()
      return socket
    },
    disconnect() {
      interceptor.disconnect()
      return socket
    },
    emit(name: string, ...args: unknown[]) {
      interceptor.emitted()
      const [payload] = args
      if (!isCommandName(name) || !hasSession(payload)) return emit(name, ...args)
      const callback = args.at(-1)
      const reply = replyTo(typeof callback === 'function' ? (callback as LibraryCallback) : () => {})
      interceptor.command({ name, payload, isRepeatable: false }, reply)
      return socket
    },
    offAny(listener?: (...args: unknown[]) => void) {
      offAny(listener)
      if (!listener) socket.prependAny(receive) // without us the application would get bare increments
      return socket
    },
  }
  Object.assign(socket, overrides)
  // Any-listeners run before those of the event itself, so they see what we filled in.
  socket.onAny(receive)
  return { send: emit, connect: () => void connect(), disconnect: () => void disconnect() }
}

/** `emitWithAck` marks its callback: that one expects an error first. */
type LibraryCallback = ((...answer: unknown[]) => void) & { withError?: boolean }

function replyTo(callback: LibraryCallback): Reply {
  return {
    answered: (answer) => {
      const isPlain = answer.length === 1 && !(answer[0] instanceof Error)
      if (isPlain && callback.withError) callback(null, ...answer)
      else callback(...answer)
    },
    // A plain callback has no place for an error: the library never calls it when the connection is lost.
    failed: (error) => {
      if (callback.withError) callback(error)
    },
  }
}

function hasSession(payload: unknown): payload is SessionPayload {
  return typeof payload === 'object' && payload !== null && 'session_id' in payload
}
