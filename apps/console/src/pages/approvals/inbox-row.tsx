import type { InboxConfirmation, InboxItem } from '@parley/protocol/rest'
import { Check, CircleHelp, Clock, FilePenLine, Plug, SquareTerminal, Wrench, X } from '../../ui/icons.tsx'
import { type ReactNode, useMemo } from 'react'
import { Link } from 'wouter'
import { routes } from '../../routes.ts'
import { useFormat } from '../../texts/format.ts'
import { useWords } from '../../texts/language.ts'
import { briefOf, kindOf, placeOf } from './describe-item.ts'
import { useDecider } from './use-decider.ts'
import { ShownText } from './shown-text.tsx'
import { approvalWords } from './words.ts'

type WaitingProps = {
  item: InboxItem
  now: number
  isCurrent: boolean
  /** The one that expires first is the only loud one. */
  isSoonest: boolean
  choice: { isChosen: boolean; choose: (isChosen: boolean) => void } | undefined
}

export function WaitingRow({ item, now, isCurrent, isSoonest, choice }: WaitingProps) {
  const words = useWords(approvalWords)
  const format = useFormat()
  const { name, about, isCode } = useMemo(() => briefOf(item, words), [item, words])
  const left = item.kind === 'confirmation' ? Date.parse(item.expires_at) - now : null
  return (
    <div className="relative mr-1 flex flex-none items-start">
      <Row
        href={routes.approval(item.id)}
        id={item.id}
        isCurrent={isCurrent}
        picture={<Picture item={item} />}
        name={name}
        aside={
          left === null ? null : (
            <span className={isSoonest ? 'font-medium text-warning' : 'text-muted'}>
              {left <= 0 ? words.soon : format.left(left)}
            </span>
          )
        }
        about={<ShownText text={about.slice(0, 200)} />}
        isCode={isCode}
        place={placeOf(item, words)}
      />
      {choice ? (
        <label className="absolute right-2 bottom-2 flex size-6 items-center justify-center max-md:size-11">
          <input
            type="checkbox"
            checked={choice.isChosen}
            aria-label={words.select(`${name}: ${about.slice(0, 60)}`)}
            onChange={(event) => choice.choose(event.target.checked)}
            className="size-4 accent-accent"
          />
        </label>
      ) : null}
    </div>
  )
}

export function DecidedRow({ item, isCurrent, href }: { item: InboxConfirmation; isCurrent: boolean; href: string }) {
  const words = useWords(approvalWords)
  const { name, about, isCode } = useMemo(() => briefOf(item, words), [item, words])
  const { who, when } = useDecider(item)
  const status = item.status === 'pending' ? 'expired' : item.status
  const pictures = { approved: Check, rejected: X, expired: Clock, withdrawn: X }
  const Icon = pictures[status]
  return (
    <div className="mr-1 flex flex-none">
      <Row
        href={href}
        id={item.id}
        isCurrent={isCurrent}
        picture={
          <span
            className={`flex size-8 flex-none items-center justify-center ${status === 'approved' ? 'text-success' : 'text-muted'}`}
          >
            <Icon size={16} aria-hidden="true" />
          </span>
        }
        name={name}
        aside={null}
        about={<ShownText text={about.slice(0, 200)} />}
        isCode={isCode}
        place={words.short[status](who, when)}
      />
    </div>
  )
}

type RowProps = {
  href: string
  id: string
  isCurrent: boolean
  picture: ReactNode
  name: string
  aside: ReactNode
  about: ReactNode
  isCode: boolean
  place: string
}

function Row({ href, id, isCurrent, picture, name, aside, about, isCode, place }: RowProps) {
  return (
    <Link
      href={href}
      data-item={id}
      aria-current={isCurrent ? 'page' : undefined}
      className="flex min-w-0 grow gap-2 rounded-card p-2 text-13 hover:bg-hover aria-[current]:bg-selected max-md:aria-[current]:bg-transparent"
    >
      {picture}
      <span className="flex min-w-0 grow flex-col">
        <span className="flex gap-2">
          <span className="min-w-0 grow truncate font-medium">{name}</span>
          <span className="flex-none text-12 leading-[20px]">{aside}</span>
        </span>
        <span className={`truncate text-muted ${isCode ? 'font-mono' : ''}`}>{about}</span>
        <span className="truncate text-muted">{place}</span>
      </span>
    </Link>
  )
}

function Picture({ item }: { item: InboxItem }) {
  const isHigh = item.kind === 'confirmation' && item.risk === 'high'
  const Icon =
    item.kind === 'question'
      ? CircleHelp
      : item.kind === 'tool'
        ? Plug
        : { command: SquareTerminal, file: FilePenLine, values: Wrench }[kindOf(item)]
  return (
    <span
      className={`flex size-8 flex-none items-center justify-center rounded-control ${isHigh ? 'bg-danger-soft text-danger' : 'bg-surface text-text'}`}
    >
      <Icon size={16} aria-hidden="true" />
    </span>
  )
}
