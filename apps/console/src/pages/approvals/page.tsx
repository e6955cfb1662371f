import type { InboxItem } from '@parley/protocol/rest'
import { useQuery } from '@tanstack/react-query'
import { History, MessageSquare } from '../../ui/icons.tsx'
import { useState } from 'react'
import { Link, useLocation, useParams, useSearchParams } from 'wouter'
import { inboxItemQuery, inboxQuery } from '../../data/inbox.ts'
import { routes } from '../../routes.ts'
import { Frame, SheetBar } from '../../shell/frame.tsx'
import { useShortcuts } from '../../shell/use-shortcuts.ts'
import { useWords } from '../../texts/language.ts'
import { Button } from '../../ui/button.tsx'
import { Empty, Failure, Skeleton } from '../../ui/states.tsx'
import { Detail } from './detail.tsx'
import { InboxList } from './inbox-list.tsx'
import { RuleDialog } from './rule-dialog.tsx'
import { approvalWords } from './words.ts'

/** Everything that waits for the reader, decided in place. */
export function Page() {
  const words = useWords(approvalWords)
  const [params] = useSearchParams()
  const [, go] = useLocation()
  const isDecidedTab = params.get('tab') === 'decided'
  const { id: named = '' } = useParams<{ id?: string }>()
  const { data, error, isPending, refetch } = useQuery(inboxQuery)
  const items = data?.items ?? []
  // Without an address of its own, what is shown stays until the reader leaves it: what comes meanwhile must not take its
  // place under somebody's finger.
  const [kept, setKept] = useState('')
  if (!named && !isDecidedTab && kept === '' && items[0]) setKept(items[0].id)
  const id = named || (isDecidedTab ? '' : kept)
  const waiting = items.find((item) => item.id === id)
  const single = useQuery({ ...inboxItemQuery(id), enabled: id !== '' && !waiting && !isPending })
  const item = waiting ?? single.data
  const hrefOf = (next: string) => `${routes.approval(next)}${isDecidedTab ? '?tab=decided' : ''}`

  const show = (next: string | undefined) => {
    setKept(next ?? '')
    if (named) go(next === undefined ? routes.approvals : hrefOf(next), { replace: true })
  }
  const step = (by: 1 | -1) => {
    const rows = [...document.querySelectorAll<HTMLElement>('a[data-item]')]
    const at = rows.findIndex((row) => row.dataset['item'] === id)
    const next = rows[at + by]?.dataset['item']
    if (next === undefined) return
    rows[at + by]?.scrollIntoView({ block: 'nearest' })
    show(next)
  }
  useShortcuts({
    j: () => step(1),
    k: () => step(-1),
    o: () => item && item.kind !== 'tool' && go(routes.session(item.session_id)),
  })
  const moveOn = () => {
    const at = items.findIndex((one) => one.id === id)
    show((items[at + 1] ?? items[at - 1])?.id)
  }

  return (
    <Frame
      shows={named ? 'sheet' : 'list'}
      list={
        <InboxList
          items={items}
          current={id}
          isDecidedTab={isDecidedTab}
          failure={data ? null : error}
          retry={() => void refetch()}
        />
      }
    >
      {item ? (
        <>
          <Bar item={item} at={items.indexOf(item)} of={items.length} isDecidedTab={isDecidedTab} />
          <Detail key={item.id} item={item} onDecided={moveOn} />
        </>
      ) : single.error ? (
        <Failure error={single.error} retry={() => void single.refetch()} />
      ) : error && !data ? (
        <Failure error={error} retry={() => void refetch()} />
      ) : isPending || single.isFetching ? (
        <Skeleton />
      ) : isDecidedTab ? (
        <Empty title={words.choose} />
      ) : (
        <NothingWaits />
      )}
    </Frame>
  )
}

function NothingWaits() {
  const words = useWords(approvalWords)
  return (
    <Empty
      title={words.empty}
      action={
        <Link href={routes.settings('policy')} className="text-13 font-medium text-accent">
          {words.policy}
        </Link>
      }
    >
      {words.emptyText}
    </Empty>
  )
}

type BarProps = { item: InboxItem; at: number; of: number; isDecidedTab: boolean }

function Bar({ item, at, of, isDecidedTab }: BarProps) {
  const words = useWords(approvalWords)
  const [isMakingRule, setMakingRule] = useState(false)
  const title = at < 0 ? words.decided : words.position(at + 1, of)
  return (
    <>
      <SheetBar
        title={<span className="text-13 font-normal text-muted">{title}</span>}
        back={isDecidedTab ? routes.decided : routes.approvals}
      >
        {at < 0 ? null : <span className="text-12 text-muted max-lg:hidden">{words.keys}</span>}
        {item.kind === 'confirmation' ? (
          <Button kind="quiet" onClick={() => setMakingRule(true)}>
            {words.makeRule}
          </Button>
        ) : null}
        {item.kind !== 'tool' && item.run_id ? (
          <Link
            href={routes.run(item.session_id, item.run_id)}
            title={words.openRun}
            className="inline-flex min-h-8 items-center gap-2 rounded-control px-3 text-13 hover:bg-hover max-md:size-11 max-md:justify-center max-md:px-0"
          >
            <History size={16} aria-hidden="true" />
            <span className="max-md:sr-only">{words.openRun}</span>
          </Link>
        ) : null}
        {item.kind === 'tool' ? null : (
          <Link
            href={routes.session(item.session_id)}
            title={`${words.openSession} (O)`}
            className="inline-flex min-h-8 items-center gap-2 rounded-control px-3 text-13 hover:bg-hover max-md:size-11 max-md:justify-center max-md:px-0"
          >
            <MessageSquare size={16} aria-hidden="true" />
            <span className="max-md:sr-only">{words.openSession}</span>
          </Link>
        )}
      </SheetBar>
      {isMakingRule && item.kind === 'confirmation' ? (
        <RuleDialog item={item} onClose={() => setMakingRule(false)} />
      ) : null}
    </>
  )
}
