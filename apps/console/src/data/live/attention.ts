import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { Badges } from '../../shell/rail.tsx'
import { inboxQuery } from '../inbox.ts'
import { seenQuery } from '../seen.ts'
import { sessionsQuery } from '../sessions.ts'
import { useVisibleInterval } from './visible-interval.ts'

/** What waits for the reader, in numbers: beside the rail, in the title of the page. */
export function useAttention(): Badges {
  const refetchInterval = useVisibleInterval()
  useQuery({ ...sessionsQuery(), refetchInterval, notifyOnChangeProps: [] })
  useQuery({ ...seenQuery, refetchInterval, notifyOnChangeProps: [] })
  const { data } = useQuery({ ...inboxQuery, refetchInterval })
  const waiting = data?.total ?? 0
  useEffect(() => {
    document.title = waiting > 0 ? `(${waiting}) Parley` : 'Parley'
  }, [waiting])
  return { approvals: waiting }
}
