import type { AgentSessionState, ParleyClient } from '@parley/client'
import { useCallback, useSyncExternalStore } from 'react'
import { findHeldSession, holdSession } from './held-sessions.ts'

/** One value of a session, which is followed while the component is shown; `null` before that. */
export function useSessionState<Value>(
  client: ParleyClient,
  sessionId: string,
  select: (state: AgentSessionState) => Value,
): Value | null {
  const subscribe = useCallback(
    (onChange: () => void) => {
      if (!sessionId) return () => {}
      const release = holdSession(client, sessionId)
      const unsubscribe = findHeldSession(client, sessionId)!.subscribe(onChange)
      return () => {
        unsubscribe()
        release()
      }
    },
    [client, sessionId],
  )
  const read = () => {
    const session = findHeldSession(client, sessionId)
    return session ? select(session.getState()) : null
  }
  return useSyncExternalStore(subscribe, read, nothing)
}

const nothing = () => null
