import { useLoaded } from '../markdown/use-loaded.ts'
import type { HistoryProps } from './history.tsx'

const loadHistory = async () => (await import('./history.tsx')).History

/** The list of conversations, downloaded when it is first opened: most visitors never do. */
export function LazyHistory(props: HistoryProps) {
  const History = useLoaded(loadHistory)
  return History ? <History {...props} /> : null
}
