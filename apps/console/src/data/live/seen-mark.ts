import type { Session } from '@parley/protocol'
import { useEffect, useSyncExternalStore } from 'react'
import { markSeen } from '../seen.ts'

/** Marks a session as seen for as long as it is open and somebody can see it. */
export function useSeenMark(session: Session | undefined): void {
  const isVisible = useSyncExternalStore(
    (tell) => {
      document.addEventListener('visibilitychange', tell)
      return () => document.removeEventListener('visibilitychange', tell)
    },
    () => !document.hidden,
  )
  const [id, head] = [session?.id, session?.last_event_seq ?? 0]
  useEffect(() => {
    if (id !== undefined && isVisible && head > 0) void markSeen(id, head)
  }, [id, head, isVisible])
}
