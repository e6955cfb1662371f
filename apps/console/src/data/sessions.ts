import type { Session, SessionDetail } from '@parley/protocol'
import type { SessionPage } from '@parley/protocol/rest'
import { queryOptions } from '@tanstack/react-query'
import { client } from './client.ts'
import { queryClient } from './query-client.ts'
import { type SessionList, withMore, withoutSession, withSession, withTop } from './session-list.ts'

const PAGE = 100
/** So many that have changed are read one by one; of more, the top of the list. */
const ONE_BY_ONE = 10

/** Own sessions, the newest first; with `q` those that match. Read again, it asks for no more than what may be new. */
export const sessionsQuery = (q = '') =>
  queryOptions({
    queryKey: ['sessions', q],
    queryFn: async ({ signal }) => {
      const top = await readTop(q, signal)
      return withTop(queryClient.getQueryData<SessionList>(['sessions', q]), top)
    },
    // What has not changed is the same object already; ten thousand are not compared again.
    structuralSharing: false,
  })

/** Down to the first page whose end is as it was: what has changed stands above that. */
async function readTop(q: string, signal: AbortSignal): Promise<SessionList> {
  const known = new Map(
    queryClient.getQueryData<SessionList>(['sessions', q])?.items.map((session) => [session.id, session.updated_at]),
  )
  let page = await readPage(q, { signal })
  const items = [...page.items]
  while (known.size > items.length && page.next !== null) {
    const last = items.at(-1)
    if (!last || known.get(last.id) === last.updated_at) break
    page = await readPage(q, { signal, before: page.next })
    items.push(...page.items)
  }
  return { ...page, items }
}

type PageOptions = { signal?: AbortSignal; before?: string }

async function readPage(q: string, { signal, before }: PageOptions): Promise<SessionPage> {
  const query = { limit: PAGE, q: q || null, before: before ?? null }
  const page = await client.api.get<SessionPage>('/api/sessions', { query, ...(signal && { signal }) })
  return { ...page, items: page.items.filter(({ id }) => !hidden.has(id)) }
}

let reading: string | undefined

/** The page after those that are known, once. */
export async function readMoreSessions(q = ''): Promise<void> {
  const next = queryClient.getQueryData<SessionList>(['sessions', q])?.next
  if (next == null || reading === q + next) return
  reading = q + next
  try {
    const page = await readPage(q, { before: next })
    queryClient.setQueryData<SessionList>(['sessions', q], (list) => list && withMore(list, page))
  } finally {
    reading = undefined
  }
}

/** These are not what they were. */
export async function rereadChanged(ids: readonly string[] | null): Promise<void> {
  if (ids === null || ids.length > ONE_BY_ONE) return rereadSessions()
  const wanted = ids.filter((id) => !hidden.has(id))
  await Promise.all(
    wanted.map(async (id) => {
      const answer = await client.api.raw(`/api/sessions/${encodeURIComponent(id)}`)
      if (answer.status === 404) changeLists((list) => withoutSession(list, id))
      if (!answer.ok) return
      const session = (await answer.json()) as SessionDetail
      queryClient.setQueryData<SessionList>(['sessions', ''], (list) => list && withSession(list, session))
      patchSession(id, session)
    }),
  )
}

export const sessionQuery = (id: string) =>
  queryOptions({
    queryKey: ['session', id],
    queryFn: () => client.api.get<SessionDetail>(`/api/sessions/${encodeURIComponent(id)}`),
  })

/** Puts what is known of a session where it stands; nothing is read. */
export function patchSession(id: string, change: Partial<Session>): void {
  changeLists((list) => {
    const session = list.items.find((one) => one.id === id)
    return session ? withSession(list, { ...session, ...change }) : list
  })
  queryClient.setQueryData<SessionDetail>(['session', id], (detail) => detail && { ...detail, ...change })
}

/** Those that are deleted, or will be as soon as nobody can take it back any more. */
const hidden = new Set<string>()

/** Out of all lists, also when they are read again, until it is gone or shown again. */
export function hideSession(id: string): void {
  hidden.add(id)
  changeLists((list) => withoutSession(list, id))
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
  if (!answer.ok && answer.status !== 404) {
    hidden.delete(id)
    await rereadAndThrow(new Error(`HTTP ${answer.status}`))
  }
  queryClient.removeQueries({ queryKey: ['session', id] })
}

async function rereadAndThrow(error: unknown): Promise<never> {
  await rereadSessions()
  throw error
}

function changeLists(change: (list: SessionList) => SessionList): void {
  queryClient.setQueriesData<SessionList>({ queryKey: ['sessions'] }, (list) => list && change(list))
}
