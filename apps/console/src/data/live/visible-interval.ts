import { useSyncExternalStore } from 'react'

/** How often lists are read again: often while somebody looks. */
export function useVisibleInterval(): number {
  return useSyncExternalStore(
    (tell) => {
      document.addEventListener('visibilitychange', tell)
      return () => document.removeEventListener('visibilitychange', tell)
    },
    () => (document.hidden ? 30_000 : 5_000),
  )
}
