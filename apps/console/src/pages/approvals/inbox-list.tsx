import type { InboxConfirmation, InboxItem } from '@parley/protocol/rest'
import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useRef, useState } from 'react'
import { Link, useSearchParams } from 'wouter'
import { decide, decidedQuery, type Outcome } from '../../data/inbox.ts'
import { useIsConnected } from '../../data/live/connected.ts'
import { routes } from '../../routes.ts'
import { ListBar } from '../../shell/frame.tsx'
import { showToast } from '../../shell/toasts.tsx'
import { useWords } from '../../texts/language.ts'
import { Button } from '../../ui/button.tsx'
import { Select } from '../../ui/field.tsx'
import { Failure } from '../../ui/states.tsx'
import { DecidedRow, WaitingRow } from './inbox-row.tsx'
import { URGENT_MS, useNow } from './use-now.ts'
import { approvalWords } from './words.ts'

type ListProps = {
  items: readonly InboxItem[]
  current: string
  isDecidedTab: boolean
  /** Why there is no list. */
  failure: unknown
  retry: () => void
}

/** How many that were decided stand below what waits. */
const LAST_DECIDED = 5

export function InboxList({ items, current, isDecidedTab, failure, retry }: ListProps) {
  const words = useWords(approvalWords)
  const list = useRef<HTMLDivElement>(null)
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined || (event.target as Element).matches('select, input')) return
    const links = [...(list.current?.querySelectorAll<HTMLElement>('a[data-item]') ?? [])]
    links[links.indexOf(document.activeElement as HTMLElement) + step]?.focus()
    event.preventDefault()
  }
  return (
    <>
      <ListBar title={words.title}>
        {items.length > 0 && !isDecidedTab ? (
          <span className="mr-1 rounded-full bg-warning-soft px-2 py-0.5 text-12 text-warning">
            {words.waiting(items.length)}
          </span>
        ) : null}
        {isDecidedTab ? (
          <Link href={routes.approvals} className="mr-1 px-1 text-13 font-medium text-accent max-md:py-3">
            {words.backToWaiting}
          </Link>
        ) : null}
      </ListBar>
      <div ref={list} onKeyDown={onKeyDown} className="flex min-h-0 grow flex-col overflow-y-auto pb-4 max-md:px-2">
        {isDecidedTab ? (
          <DecidedList current={current} />
        ) : (
          <>
            <WaitingList items={items} current={current} />
            {items.length === 0 && !failure ? (
              <p className="px-2 py-3 text-13 text-muted md:hidden">{words.empty}</p>
            ) : null}
            {failure ? (
              <div className="md:hidden">
                <Failure error={failure} retry={retry} />
              </div>
            ) : null}
            <LastDecided current={current} />
          </>
        )}
      </div>
    </>
  )
}

/** Of the same tool, and nothing dangerous: only such calls are decided together. */
function groupOf(item: InboxItem): string | undefined {
  return item.kind === 'confirmation' && item.risk !== 'high' ? item.tool_name : undefined
}

function WaitingList({ items, current }: { items: readonly InboxItem[]; current: string }) {
  const soonest = items.find((item) => item.kind === 'confirmation')
  const left = soonest?.kind === 'confirmation' ? Date.parse(soonest.expires_at) - Date.now() : Infinity
  const now = useNow(left < URGENT_MS * 2 ? 1_000 : 15_000)
  const [chosen, setChosen] = useState<readonly string[]>([])
  const picked = items.filter(({ id }) => chosen.includes(id))
  const group = picked[0] && groupOf(picked[0])
  const canChoose = (item: InboxItem) => {
    const own = groupOf(item)
    if (own === undefined || (group !== undefined && own !== group)) return false
    return items.filter((one) => groupOf(one) === own).length > 1
  }
  return (
    <>
      {items.map((item) => (
        <WaitingRow
          key={item.id}
          item={item}
          now={now}
          isCurrent={item.id === current}
          isSoonest={item === soonest}
          choice={
            canChoose(item)
              ? {
                  isChosen: chosen.includes(item.id),
                  choose: (isChosen) =>
                    setChosen((before) => (isChosen ? [...before, item.id] : before.filter((id) => id !== item.id))),
                }
              : undefined
          }
        />
      ))}
      {picked.length > 0 ? <Several items={picked as InboxConfirmation[]} onDone={() => setChosen([])} /> : null}
    </>
  )
}

/** One request each, each with an outcome of its own. */
function Several({ items, onDone }: { items: readonly InboxConfirmation[]; onDone: () => void }) {
  const words = useWords(approvalWords)
  const isConnected = useIsConnected()
  const [busy, setBusy] = useState<'approve' | 'reject' | null>(null)
  const decideAll = async (decision: 'approve' | 'reject') => {
    setBusy(decision)
    const outcomes = await Promise.allSettled(items.map(({ id }) => decide(id, { decision })))
    setBusy(null)
    onDone()
    showToast(words.severalDone(outcomes.filter(({ status }) => status === 'fulfilled').length, items.length))
  }
  return (
    <div className="sticky bottom-0 flex gap-2 border-t border-line bg-canvas px-2 py-3">
      <Button disabled={!isConnected} isBusy={busy === 'approve'} onClick={() => void decideAll('approve')}>
        {words.approveSeveral(items.length)}
      </Button>
      <Button kind="quiet" disabled={!isConnected} isBusy={busy === 'reject'} onClick={() => void decideAll('reject')}>
        {words.rejectSeveral(items.length)}
      </Button>
    </div>
  )
}

function LastDecided({ current }: { current: string }) {
  const words = useWords(approvalWords)
  const { data = [] } = useQuery(decidedQuery())
  if (data.length === 0) return null
  return (
    <>
      <h2 className="px-2 pt-4 pb-1 text-12 font-medium text-muted">{words.decided}</h2>
      {data.slice(0, LAST_DECIDED).map((item) => (
        <DecidedRow key={item.id} item={item} isCurrent={item.id === current} href={routes.approval(item.id)} />
      ))}
      <Link href={routes.decided} className="px-2 py-2 text-12 font-medium text-accent max-md:py-3">
        {words.allDecided}
      </Link>
    </>
  )
}

const OUTCOMES: readonly Outcome[] = ['approved', 'rejected', 'expired', 'withdrawn']

function DecidedList({ current }: { current: string }) {
  const words = useWords(approvalWords)
  const [params, setParams] = useSearchParams()
  const outcome = OUTCOMES.find((one) => one === params.get('outcome'))
  const person = params.get('by') ?? ''
  const { data = [], isPending } = useQuery(decidedQuery(outcome))
  const people = new Map(data.flatMap(({ decided_by: id, decided_by_name: name }) => (id && name ? [[id, name]] : [])))
  const shown = person ? data.filter(({ decided_by }) => decided_by === person) : data
  const filter = (name: string, value: string) => {
    const next = new URLSearchParams(params)
    if (value) next.set(name, value)
    else next.delete(name)
    setParams(next, { replace: true })
  }
  const query = params.toString()
  return (
    <>
      <div className="flex gap-2 px-2 pb-2">
        <Select
          className="px-2 text-13"
          aria-label={words.filter}
          value={outcome ?? ''}
          onChange={(event) => filter('outcome', event.target.value)}
        >
          <option value="">{words.anyOutcome}</option>
          {OUTCOMES.map((one) => (
            <option key={one} value={one}>
              {words.outcomeNames[one]}
            </option>
          ))}
        </Select>
        <Select
          className="px-2 text-13"
          aria-label={words.person}
          value={person}
          onChange={(event) => filter('by', event.target.value)}
        >
          <option value="">{words.anybody}</option>
          {[...people].map(([id, name]) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
      </div>
      {shown.map((item) => (
        <DecidedRow
          key={item.id}
          item={item}
          isCurrent={item.id === current}
          href={`${routes.approval(item.id)}?${query}`}
        />
      ))}
      {shown.length === 0 && !isPending ? <p className="px-2 py-3 text-13 text-muted">{words.noDecided}</p> : null}
    </>
  )
}
