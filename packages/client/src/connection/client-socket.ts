import type { ClientToServerEvents, ServerToClientEvents } from '@parley/protocol'
import type { Socket } from 'socket.io-client'

/** The library's socket, typed with the protocol's events and commands. */
export type ClientSocket = Socket<ServerToClientEvents, ClientToServerEvents>
