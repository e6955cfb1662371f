import type { Session, SessionDetail } from '@parley/protocol'
import type { SessionPage } from '@parley/protocol/rest'
import { infiniteQueryOptions, type InfiniteData, queryOptions } from '@tanstack/react-query'
import { client } from './client.ts'
import { queryClient } from './query-client.ts'

const PAGE = 100
type Pages = InfiniteData<SessionPage, number>

/** Own sessions, the newest first; with `q` those that match. */
export const sessionsQuery = (q = '') =>
  infiniteQueryOptions({
    queryKey: ['sessions', q],
    queryFn: ({ pageParam, signal }) =>
      client.api.get<SessionPage>('/api/sessions', { query: { limit: PAGE, offset: pageParam, q: q || null }, signal }),
    initialPageParam: 0,
    getNextPageParam: ({ items, total, offset }) => (offset + items.length < total ? offset + items.length : undefined),
  })

export const sessionQuery = (id: string) =>
  queryOptions({
    queryKey: ['session', id],
    queryFn: () => client.api.get<SessionDetail>(`/api/sessions/${encodeURIComponent(id)}`),
  })

/** Puts what is known of a session where it stands; nothing moves. */
export function patchSession(id: string, change: Partial<Session>): void {
  queryClient.setQueriesData<Pages>({ queryKey: ['sessions'] }, (pages) =>
    mapPages(pages, (items) => items.map((session) => (session.id === id ? { ...session, ...change } : session))),
  )
  queryClient.setQueryData<SessionDetail>(['session', id], (detail) => detail && { ...detail, ...change })
}

/** Out of all lists, until they are read again. */
export function hideSession(id: string): void {
  queryClient.setQueriesData<Pages>({ queryKey: ['sessions'] }, (pages) =>
    mapPages(pages, (items) => items.filter((session) => session.id !== id)),
  )
}

export const rereadSessions = (): Promise<void> => queryClient.invalidateQueries({ queryKey: ['sessions'] })

/** Shown at once; what the server refuses is taken back. */
export async function renameSession(id: string, intent: string): Promise<void> {
  patchSession(id, { intent })
  await client.sessions.updateSession(id, { intent }).catch(rereadAndThrow)
}

export async function pinSession(id: string, pinned: boolean): Promise<void> {
  patchSession(id, { is_pinned: pinned })
  await client.api.patch(`/api/sessions/${encodeURIComponent(id)}/pin`, { pinned }).catch(rereadAndThrow)
}

export async function deleteSession(id: string): Promise<void> {
  await client.sessions.deleteSession(id).catch(rereadAndThrow)
  queryClient.removeQueries({ queryKey: ['session', id] })
}

async function rereadAndThrow(error: unknown): Promise<never> {
  await rereadSessions()
  throw error
}

function mapPages(pages: Pages | undefined, change: (items: Session[]) => Session[]): Pages | undefined {
  return pages && { ...pages, pages: pages.pages.map((page) => ({ ...page, items: change(page.items) })) }
}
