import { useQuery } from '@tanstack/react-query'
import type { InboxItem } from '@parley/protocol/rest'
import { useEffect, useMemo } from 'react'
import type { Badges } from '../../shell/rail.tsx'
import { inboxQuery } from '../inbox.ts'
import { seenQuery } from '../seen.ts'
import { sessionsQuery } from '../sessions.ts'
import { useNotifications } from './notifications.ts'
import { useVisibleInterval } from './visible-interval.ts'

/** What waits for the reader, in numbers: beside the rail, in the title of the page. */
export function useAttention(open: () => void): Badges {
  const refetchInterval = useVisibleInterval()
  useQuery({ ...sessionsQuery(), refetchInterval, notifyOnChangeProps: [] })
  useQuery({ ...seenQuery, refetchInterval, notifyOnChangeProps: [] })
  const { data } = useQuery({ ...inboxQuery, refetchInterval })
  const waiting = data?.total ?? 0
  useEffect(() => {
    document.title = waiting > 0 ? `(${waiting}) Parley` : 'Parley'
  }, [waiting])
  const items = data?.items
  useNotifications(
    useMemo(() => items?.map(asWaiting), [items]),
    open,
  )
  return { approvals: waiting }
}

function asWaiting(item: InboxItem): { id: string; title: string } {
  return { id: item.id, title: item.kind === 'tool' ? item.display_name : item.intent }
}
