import type { Session, SessionDetail } from '@parley/protocol'
import type { SessionPage } from '@parley/protocol/rest'
import { infiniteQueryOptions, type InfiniteData, queryOptions } from '@tanstack/react-query'
import { client } from './client.ts'
import { queryClient } from './query-client.ts'

const PAGE = 100
type ReadPage = SessionPage & { /** As many as the server gave. */ read: number }
type Pages = InfiniteData<ReadPage, number>

/** Own sessions, the newest first; with `q` those that match. */
export const sessionsQuery = (q = '') =>
  infiniteQueryOptions({
    queryKey: ['sessions', q],
    queryFn: async ({ pageParam, signal }) => {
      const query = { limit: PAGE, offset: pageParam, q: q || null }
      const page = await client.api.get<SessionPage>('/api/sessions', { query, signal })
      return { ...page, items: page.items.filter(({ id }) => !hidden.has(id)), read: page.items.length }
    },
    initialPageParam: 0,
    getNextPageParam: ({ read, total, offset }) => (offset + read < total ? offset + read : undefined),
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

/** Those that are deleted as soon as nobody can take it back any more. */
const hidden = new Set<string>()

/** Out of all lists, also when they are read again, until it is gone or shown again. */
export function hideSession(id: string): void {
  hidden.add(id)
  queryClient.setQueriesData<Pages>({ queryKey: ['sessions'] }, (pages) =>
    mapPages(pages, (items) => items.filter((session) => session.id !== id)),
  )
}

export async function showSession(id: string): Promise<void> {
  hidden.delete(id)
  await rereadSessions()
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
  // The page may be on its way out.
  const answer = await client.api.raw(`/api/sessions/${encodeURIComponent(id)}`, { method: 'DELETE', keepalive: true })
  hidden.delete(id)
  if (!answer.ok && answer.status !== 404) await rereadAndThrow(new Error(`HTTP ${answer.status}`))
  queryClient.removeQueries({ queryKey: ['session', id] })
}

async function rereadAndThrow(error: unknown): Promise<never> {
  await rereadSessions()
  throw error
}

function mapPages(pages: Pages | undefined, change: (items: Session[]) => Session[]): Pages | undefined {
  return pages && { ...pages, pages: pages.pages.map((page) => ({ ...page, items: change(page.items) })) }
}
