import type { ParleyClient } from '@parley/client'
import { useEffect, useState } from 'react'
import { useSessionStore } from '../sessions/session-store.ts'

export type OwnSession = { sessionId: string; error: unknown; retry: () => void }

/** The session to show: the one given, else a new one. The first new one of a page becomes the active session. */
export function useOwnSession(client: ParleyClient, given: string | null | undefined): OwnSession {
  const [created, setCreated] = useState('')
  const [error, setError] = useState<unknown>(null)
  const [attempt, setAttempt] = useState(0)
  // One request even if React mounts the part twice.
  const [requests] = useState(() => new Map<number, Promise<string>>())
  useEffect(() => {
    if (given || created) return
    let isCurrent = true
    const request = requests.get(attempt) ?? client.sessions.createSession().then(({ session_id }) => session_id)
    requests.set(attempt, request)
    request.then(
      (id) => {
        if (!isCurrent) return
        const { activeSessionId, setActiveSession } = useSessionStore.getState()
        if (!activeSessionId) setActiveSession(id)
        setCreated(id)
      },
      (reason: unknown) => {
        if (isCurrent) setError(reason)
      },
    )
    return () => {
      isCurrent = false
    }
  }, [client, given, created, attempt, requests])
  const retry = () => {
    setError(null)
    setAttempt(attempt + 1)
  }
  return { sessionId: given || created, error, retry }
}
