import { emptyProjection, type EventName, type Projection, reduce, type SessionEvent } from '@parley/protocol'
import type { AccountChanged } from '@parley/protocol/rest'
import { io, type Socket } from 'socket.io-client'

export type Received = { name: string; payload: { [field: string]: unknown } }

export type ConnectOptions = {
  token?: string | null
  auth?: object
  transports?: string[]
  headers?: Record<string, string>
}

/** A Socket.IO client that remembers everything it was sent. */
export type Client = AsyncDisposable & {
  socket: Socket
  received: Received[]
  /** `account:changed`, which may come at any time: no part of what a test expects in order. */
  hints: AccountChanged[]
  /** Sends with a callback and resolves with the acknowledgement. */
  ask(name: string, payload?: unknown): Promise<Record<string, unknown>>
  /** Resolves with the first event, past or to come, that fits. */
  until(fits: string | ((event: Received) => boolean)): Promise<Received>
  names(): string[]
  /** What the client knows of the session, by the shared reducer. */
  fold(from?: Projection): Projection
}

export async function connectClient(url: string, options: ConnectOptions = {}): Promise<Client> {
  const { token, auth, transports = ['websocket'], headers } = options
  const socket = io(url, {
    forceNew: true,
    reconnection: false,
    transports,
    auth: { ...(token == null ? {} : { token }), ...auth },
    ...(headers && { extraHeaders: headers }),
  })
  const client = recording(socket)
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('connect_error', (error) => {
      socket.disconnect()
      reject(error)
    })
  })
  return client
}

function recording(socket: Socket): Client {
  const received: Received[] = []
  const waiting = new Set<() => void>()
  const hints: AccountChanged[] = []
  const add = (name: string, payload: Received['payload']) => {
    if (name === 'account:changed') hints.push(payload as unknown as AccountChanged)
    else received.push({ name, payload })
    for (const look of waiting) look()
  }
  socket.onAny(add)
  socket.on('disconnect', (reason) => add('(disconnect)', { reason }))
  return {
    socket,
    received,
    hints,
    ask: (name, payload) => socket.timeout(30_000).emitWithAck(name, payload),
    until: (wanted) => {
      const fits = typeof wanted === 'string' ? ({ name }: Received) => name === wanted : wanted
      return new Promise((resolve) => {
        const look = () => {
          const found = received.find(fits)
          if (!found) return
          waiting.delete(look)
          resolve(found)
        }
        waiting.add(look)
        look()
      })
    },
    names: () => received.map(({ name }) => name),
    fold: (from = emptyProjection) =>
      received.reduce(
        (state, { name, payload }) => reduce(state, { name: name as EventName, payload } as SessionEvent),
        from,
      ),
    async [Symbol.asyncDispose]() {
      socket.disconnect()
    },
  }
}
