import { useSyncExternalStore } from 'react'
import { client } from '../client.ts'

let isLost = false

/** Whether decisions can reach the server; until the first connection nobody knows better. */
export function useIsConnected(): boolean {
  return useSyncExternalStore(subscribe, () => !isLost)
}

function subscribe(tell: () => void): () => void {
  const socket = client.socket()
  const lost = () => {
    isLost = true
    tell()
  }
  const found = () => {
    isLost = false
    tell()
  }
  socket.on('disconnect', lost)
  socket.on('connect_error', lost)
  socket.on('connect', found)
  return () => {
    socket.off('disconnect', lost)
    socket.off('connect_error', lost)
    socket.off('connect', found)
  }
}
