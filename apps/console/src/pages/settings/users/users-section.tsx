import type { Invitation } from '@parley/protocol/rest'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { UserPlus } from '../../../ui/icons.tsx'
import { useState } from 'react'
import { meQuery } from '../../../data/account.ts'
import { usersQuery } from '../../../data/users.ts'
import { useWords } from '../../../texts/language.ts'
import { Button } from '../../../ui/button.tsx'
import { Failure, Skeleton } from '../../../ui/states.tsx'
import { InviteDialog } from './invite-dialog.tsx'
import { LinkDialog } from './link-dialog.tsx'
import { UserRow } from './user-row.tsx'
import { userWords } from './words.ts'

/** Who is in: owners set the server up and invite; members have what is their own. */
export function UsersSection() {
  const words = useWords(userWords)
  const { data: me } = useQuery(meQuery)
  const { data, error, isPending, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } =
    useInfiniteQuery(usersQuery)
  const [isInviting, setInviting] = useState(false)
  const [invitation, setInvitation] = useState<Invitation>()
  if (error && !data) return <Failure error={error} retry={() => void refetch()} />
  if (isPending) return <Skeleton rows={4} />
  const users = data?.pages.flatMap(({ items }) => items) ?? []
  return (
    <div className="flex flex-col gap-4">
      <div className="flex items-start gap-4 max-md:flex-col">
        <p className="grow text-14 text-muted">{users.length === 1 ? words.onlyYou : words.about}</p>
        <Button kind="primary" className="flex-none max-md:w-full" onClick={() => setInviting(true)}>
          <UserPlus size={16} />
          {words.invite}
        </Button>
      </div>
      <table className="w-full text-13">
        <thead className="text-12 text-muted max-md:sr-only">
          <tr className="h-9 text-left">
            <th className="font-medium">{words.person}</th>
            <th className="w-32 font-medium">{words.role}</th>
            <th className="w-40 font-medium">{words.lastActive}</th>
            <th className="w-10">
              <span className="sr-only">{words.actions}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {users.map((user) => (
            <UserRow key={user.id} user={user} isMe={user.id === me?.id} onLink={setInvitation} />
          ))}
        </tbody>
      </table>
      {hasNextPage ? (
        <Button className="self-center" isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {words.more}
        </Button>
      ) : null}
      {isInviting ? (
        <InviteDialog
          onClose={() => setInviting(false)}
          onInvited={(made) => {
            setInviting(false)
            setInvitation(made)
          }}
        />
      ) : null}
      {invitation ? <LinkDialog invitation={invitation} onClose={() => setInvitation(undefined)} /> : null}
    </div>
  )
}
