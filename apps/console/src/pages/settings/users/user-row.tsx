import type { Invitation, User } from '@parley/protocol/rest'
import { Ellipsis, Chain, Trash, UserCog } from '../../../ui/icons.tsx'
import { useState } from 'react'
import { changeUser, linkAgain } from '../../../data/users.ts'
import { showToast } from '../../../shell/toasts.tsx'
import { useFormat } from '../../../texts/format.ts'
import { useWords } from '../../../texts/language.ts'
import { Menu } from '../../../ui/menu.tsx'
import { RemoveDialog } from './remove-dialog.tsx'
import { userWords } from './words.ts'

type UserRowProps = { user: User; isMe: boolean; onLink: (invitation: Invitation) => void }

/** A person, what they may do here, and when they last did something. */
export function UserRow({ user, isMe, onLink }: UserRowProps) {
  const words = useWords(userWords)
  const format = useFormat()
  const [isRemoving, setRemoving] = useState(false)
  const { username, display_name, role, status, last_active_at } = user
  const name = display_name ?? username
  const other = role === 'owner' ? 'member' : 'owner'
  const tell = ({ message }: Error) => showToast(message)
  const active = last_active_at ? (
    <time dateTime={last_active_at} title={format.absolute(last_active_at)}>
      {format.ago(last_active_at)}
    </time>
  ) : status === 'invited' ? (
    words.invited
  ) : (
    words.never
  )
  const items = [
    {
      label: words.newLink,
      icon: <Chain size={16} />,
      onSelect: () => void linkAgain(user).then(onLink, tell),
    },
    {
      label: words.makes[other],
      icon: <UserCog size={16} />,
      onSelect: () => void changeUser(user, { role: other }).then(() => showToast(words.now(name, other)), tell),
    },
    {
      label: words.remove,
      icon: <Trash size={16} />,
      isDangerous: true,
      onSelect: () => setRemoving(true),
    },
  ]
  return (
    <tr data-user={username} className="h-13 border-t border-line">
      <td className="py-2 pr-4">
        <span className="block font-medium break-words">
          {name}
          {isMe ? <span className="font-normal text-muted">{words.you}</span> : null}
        </span>
        {display_name ? <span className="block text-12 break-words text-muted">{username}</span> : null}
        <span className="block text-12 text-muted md:hidden">
          {words.roles[role]} · {active}
        </span>
      </td>
      <td className="max-md:hidden">{words.roles[role]}</td>
      <td className="text-muted max-md:hidden">{active}</td>
      <td className="w-10 max-md:w-11">
        {isMe ? null : (
          <Menu label={words.moreFor(name)} items={items}>
            <Ellipsis size={18} />
          </Menu>
        )}
        {isRemoving ? <RemoveDialog user={user} onClose={() => setRemoving(false)} /> : null}
      </td>
    </tr>
  )
}
