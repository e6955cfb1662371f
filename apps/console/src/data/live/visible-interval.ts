import { useSyncExternalStore } from 'react'

/** Of what the server tells of by itself: this is for what it could not tell. */
const TOLD_MS = 30_000
/** Of what nobody tells of. */
export const UNTOLD_MS = 5_000

/** How often lists are read again: four times as often while somebody looks. */
export function useVisibleInterval(visibleMs = TOLD_MS): number {
  return useSyncExternalStore(
    (tell) => {
      document.addEventListener('visibilitychange', tell)
      return () => document.removeEventListener('visibilitychange', tell)
    },
    () => (document.hidden ? visibleMs * 4 : visibleMs),
  )
}
