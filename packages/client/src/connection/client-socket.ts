import type { ClientToServerEvents, ServerToClientEvents } from '@parley/protocol'
import { Manager, type Socket } from 'socket.io-client'

/** The library's socket, typed with the protocol's events and commands. */
export type ClientSocket = Socket<ServerToClientEvents, ClientToServerEvents>

/** One that is not connected yet. `auth` is asked for every connection. */
export function newSocket(origin: string, auth: (answer: (auth: object) => void) => void): ClientSocket {
  const manager = new Manager(origin, {
    path: '/socket.io/',
    autoConnect: false,
    // Behind several instances polling needs sticky sessions; where websockets are blocked it still works.
    transports: ['websocket', 'polling'],
    tryAllTransports: true,
    withCredentials: true,
    reconnectionDelay: 500,
    reconnectionDelayMax: 5_000,
  })
  return manager.socket('/', { auth })
}
