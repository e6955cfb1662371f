import type { Share } from '@parley/protocol/rest'
import { useMutation, useQuery } from '@tanstack/react-query'
import { revokeLink, sharesQuery } from '../../../data/sharing.ts'
import { showToast } from '../../../shell/toasts.tsx'
import { useFormat } from '../../../texts/format.ts'
import { useWords } from '../../../texts/language.ts'
import { Button } from '../../../ui/button.tsx'
import { shareWords } from './words.ts'

/** The links that work. What they are is not told again; each can be ended. */
export function LinkList({ id }: { id: string }) {
  const words = useWords(shareWords)
  const { data, error, refetch } = useQuery(sharesQuery(id))
  if (error && !data)
    return (
      <p role="alert" className="flex items-center gap-2 text-13">
        <span className="grow">{error.message}</span>
        <Button onClick={() => void refetch()}>{words.again}</Button>
      </p>
    )
  if (!data || data.length === 0) return null
  return (
    <div>
      <h3 className="text-12 font-medium text-muted">{words.links(data.length)}</h3>
      <ul>
        {data.map((share) => (
          <LinkRow key={share.id} id={id} share={share} />
        ))}
      </ul>
    </div>
  )
}

function LinkRow({ id, share }: { id: string; share: Share }) {
  const words = useWords(shareWords)
  const format = useFormat()
  const { mutate, isPending } = useMutation({
    mutationFn: () => revokeLink(id, share.id),
    onError: ({ message }) => showToast(message),
  })
  const { created_at, expires_at } = share
  return (
    <li data-share={share.id} className="flex min-h-11 items-center gap-2 border-b border-line text-13 last:border-b-0">
      <span className="grow">
        <time dateTime={created_at} title={format.absolute(created_at)}>
          {words.made(format.ago(created_at))}
        </time>
        <span className="block text-12 text-muted" title={expires_at ? format.absolute(expires_at) : undefined}>
          {expires_at ? words.until(`${format.day(expires_at)} ${format.clock(expires_at)}`) : words.noEnd}
        </span>
      </span>
      <Button kind="danger" isBusy={isPending} onClick={() => mutate()}>
        {words.revoke}
      </Button>
    </li>
  )
}
