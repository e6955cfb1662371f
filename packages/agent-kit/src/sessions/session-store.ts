import type { ParleyClient } from '@parley/client'
import { create } from 'zustand'
import { findRegisteredClient, onClientRegistered } from '../app/registered-client.ts'
import { holdSession } from './held-sessions.ts'

export type SessionState = {
  activeSessionId: string | null
  /** Makes a session the application's, and subscribes the socket to it. `null`: none. */
  setActiveSession: (sessionId: string | null) => void
}

export const useSessionStore = create<SessionState>()((set) => ({
  activeSessionId: null,
  setActiveSession(sessionId) {
    set({ activeSessionId: sessionId || null })
    followActive()
  },
}))

let followed: { client: ParleyClient; sessionId: string; release: () => void } | null = null

/** Follows the active session over the application's client; waits for one if there is none yet. */
function followActive(): void {
  const client = findRegisteredClient()
  const sessionId = useSessionStore.getState().activeSessionId
  if (followed && followed.client === client && followed.sessionId === sessionId) return
  const before = followed
  followed = client && sessionId ? { client, sessionId, release: holdSession(client, sessionId) } : null
  before?.release()
}

onClientRegistered(followActive)
