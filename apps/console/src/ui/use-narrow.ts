import { useSyncExternalStore } from 'react'

const narrow = matchMedia('(width < 768px)')

/** Where a table has no room: phones. */
export function useNarrow(): boolean {
  return useSyncExternalStore(
    (tell) => {
      narrow.addEventListener('change', tell)
      return () => narrow.removeEventListener('change', tell)
    },
    () => narrow.matches,
  )
}
