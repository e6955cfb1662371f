import type { ChangeUser, Invitation, Invite, User, UserPage } from '@parley/protocol/rest'
import { infiniteQueryOptions, type InfiniteData } from '@tanstack/react-query'
import { client } from './client.ts'
import { queryClient } from './query-client.ts'

const PAGE = 100
const at = (id: string, rest = '') => `/api/users/${encodeURIComponent(id)}${rest}`

/** The people of this server, the oldest first. For owners. */
export const usersQuery = infiniteQueryOptions({
  queryKey: ['users'],
  queryFn: ({ pageParam }) => client.api.get<UserPage>('/api/users', { query: { limit: PAGE, offset: pageParam } }),
  initialPageParam: 0,
  getNextPageParam: ({ items, total }: UserPage, _pages, offset: number) =>
    offset + items.length < total ? offset + items.length : undefined,
})

const reread = () => queryClient.invalidateQueries({ queryKey: ['users'] })

/** The only time that the link can be read. */
export async function inviteUser(invite: Invite): Promise<Invitation> {
  const invitation = await client.api.post<Invitation>('/api/users', invite)
  await reread()
  return invitation
}

/** Another link for the same person; one that was not used is over. */
export async function linkAgain({ id }: User): Promise<Invitation> {
  const invitation = await client.api.post<Invitation>(at(id, '/links'))
  await reread()
  return invitation
}

export async function changeUser({ id }: User, change: ChangeUser): Promise<void> {
  const user = await client.api.patch<User>(at(id), change)
  queryClient.setQueryData<InfiniteData<UserPage, number>>(
    usersQuery.queryKey,
    (pages) =>
      pages && {
        ...pages,
        pages: pages.pages.map((page) => ({ ...page, items: page.items.map((one) => (one.id === id ? user : one)) })),
      },
  )
}

export async function removeUser({ id }: User): Promise<void> {
  await client.api.del(at(id))
  await reread()
}
