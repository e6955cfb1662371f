import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { Badges } from '../../shell/rail.tsx'
import { sessionsQuery } from '../sessions.ts'
import { useVisibleInterval } from './visible-interval.ts'

/** What waits for the reader, in numbers: beside the rail, in the title of the page. */
export function useAttention(): Badges {
  const interval = useVisibleInterval()
  const { data } = useInfiniteQuery({ ...sessionsQuery(), refetchInterval: interval })
  const waiting =
    data?.pages.flatMap(({ items }) => items).filter(({ status }) => status === 'waiting_for_input').length ?? 0
  useEffect(() => {
    document.title = waiting > 0 ? `(${waiting}) Parley` : 'Parley'
  }, [waiting])
  return { sessions: waiting }
}
