import type { Session } from '@parley/protocol'
import type { SeenMarks } from '@parley/protocol/rest'
import { queryOptions } from '@tanstack/react-query'
import { client } from './client.ts'
import { queryClient } from './query-client.ts'

type Seen = SeenMarks['seen']

/** How far the reader has seen each session, on whatever device. */
export const seenQuery = queryOptions({
  queryKey: ['seen'],
  queryFn: async () => further(queryClient.getQueryData<Seen>(['seen']) ?? {}, await client.sessions.getSeen()),
})

/** The server tells marks of so many sessions, those that were used last. */
const TOLD = 1_000

/** Whether something has happened there that nobody has looked at. What is under way is looked at when it is done. */
export function isUnread(session: Session, seen: Seen | undefined, place: number): boolean {
  if (!seen || session.status === 'running' || session.last_event_seq === 0) return false
  const mark = seen[session.id]
  return mark === undefined ? place < TOLD : mark < session.last_event_seq
}

/** Shown at once; a mark that does not arrive is set again with the next event, or the next time the session is opened. */
export async function markSeen(id: string, event_seq: number): Promise<void> {
  const marks = queryClient.getQueryData<Seen>(['seen'])
  if ((marks?.[id] ?? 0) >= event_seq) return
  queryClient.setQueryData<Seen>(['seen'], (before) => further(before ?? {}, { [id]: event_seq }))
  await client.sessions.markSeen({ [id]: event_seq }).catch(() => undefined)
}

/** Of two marks the one further on. */
function further(a: Seen, b: Seen): Seen {
  const marks = { ...a }
  for (const [id, event_seq] of Object.entries(b)) marks[id] = Math.max(marks[id] ?? 0, event_seq)
  return marks
}
