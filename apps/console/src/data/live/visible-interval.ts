import { useSyncExternalStore } from 'react'

/** How often lists are read again by themselves, beside what the server says: more often while somebody looks. */
export function useVisibleInterval(): number {
  return useSyncExternalStore(
    (tell) => {
      document.addEventListener('visibilitychange', tell)
      return () => document.removeEventListener('visibilitychange', tell)
    },
    () => (document.hidden ? 120_000 : 30_000),
  )
}
