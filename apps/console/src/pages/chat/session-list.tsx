import type { Session } from '@parley/protocol'
import { useQuery } from '@tanstack/react-query'
import { Plus, Search, X } from '../../ui/icons.tsx'
import { useCallback, useDeferredValue, useEffect, useMemo, useRef } from 'react'
import { Link, useLocation, useSearchParams } from 'wouter'
import { isUnread, seenQuery } from '../../data/seen.ts'
import { readMoreSessions, sessionsQuery } from '../../data/sessions.ts'
import { routes } from '../../routes.ts'
import { ListBar } from '../../shell/frame.tsx'
import { shellWords } from '../../shell/words.ts'
import { useWords } from '../../texts/language.ts'
import { Failure, Skeleton } from '../../ui/states.tsx'
import { VirtualList, type VirtualListHandle } from '../../ui/virtual-list.tsx'
import { listRows, type ListRow } from './session-groups.ts'
import { SessionRow } from './session-row.tsx'
import { chatWords } from './words.ts'

/** All sessions of the reader, as many as there are: only what is in sight is drawn. */
export function SessionList({ current }: { current?: string | undefined }) {
  const words = useWords(chatWords)
  const shell = useWords(shellWords)
  const [path, go] = useLocation()
  const [params, setParams] = useSearchParams()
  const typed = params.get('q') ?? ''
  const q = useDeferredValue(typed)
  const { data, error, isPending, refetch } = useQuery(sessionsQuery(q))
  const { data: seen } = useQuery(seenQuery)
  const sessions = data?.items ?? NONE
  const rows = useMemo(
    () => (q ? sessions.map((session): ListRow => ({ session })) : listRows(sessions)),
    [q, sessions],
  )
  const list = useRef<VirtualListHandle>(null)
  const readMore = useCallback(() => void readMoreSessions(q).catch(() => undefined), [q])
  const leave = useCallback(() => go(routes.home), [go])
  const place = rows.findIndex(({ session }) => session.id === current)
  const shown = useRef<string>(undefined)
  useEffect(() => {
    // Once: it may move later, and the reader may look elsewhere.
    if (place === -1 || shown.current === current) return
    shown.current = current
    list.current?.show(place)
  }, [place, current])

  const find = (text: string) => {
    const next = new URLSearchParams(params)
    if (text) next.set('q', text)
    else next.delete('q')
    setParams(next, { replace: true })
  }
  return (
    <>
      <ListBar title={shell.sessions}>
        <Link
          href={routes.home}
          aria-label={words.new}
          title={`${words.new} (Alt N)`}
          aria-current={path === '/' ? 'page' : undefined}
          className="inline-flex size-8 items-center justify-center rounded-control border border-line bg-surface hover:bg-hover max-md:size-11"
        >
          <Plus size={18} />
        </Link>
      </ListBar>
      <div className="relative m-2 mr-3 flex-none max-md:mx-4">
        <Search
          size={16}

          className="pointer-events-none absolute top-2 left-3 text-muted max-md:top-3"
          aria-hidden="true"
        />
        <input
          type="search"
          value={typed}
          aria-label={words.search}
          placeholder={words.search}
          onChange={(event) => find(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'ArrowDown') list.current?.focus(0)
            if (event.key === 'Escape' && !event.nativeEvent.isComposing) find('')
          }}
          className="session-search min-h-8 w-full rounded-control bg-hover pr-12 pl-9 text-13 placeholder:text-muted max-md:min-h-11"
        />
        {typed ? (
          <button
            type="button"
            aria-label={words.clear}
            title={words.clear}
            onClick={() => find('')}
            className="absolute top-1 right-1 flex size-6 items-center justify-center rounded-inner text-muted hover:bg-selected"
          >
            <X size={16} />
          </button>
        ) : (
          <kbd className="pointer-events-none absolute top-1.5 right-2 rounded-chip border border-line bg-surface px-1 font-sans text-11 text-muted max-md:hidden">
            {/Mac/.test(navigator.platform) ? '⌘ K' : 'Ctrl K'}
          </kbd>
        )}
      </div>
      {error && !data ? <Failure error={error} retry={() => void refetch()} /> : null}
      {isPending ? <Skeleton rows={10} /> : null}
      {data && sessions.length === 0 ? (
        <p className="px-2 py-4 text-13 text-muted max-md:px-4">{q ? words.noMatch : words.noSessions}</p>
      ) : null}
      {data && sessions.length > 0 ? (
        <VirtualList
          ref={list}
          label={shell.sessions}
          items={rows}
          keyOf={idOf}
          guess={rowHeight}
          stop={place}
          size={q ? sessions.length : Math.max(data.total, sessions.length)}
          onNearEnd={readMore}
        >
          {({ session, group }, { index, isStop }) => (
            <>
              {group ? (
                <h2 className="px-2 pt-3 pb-1 text-12 font-medium text-muted max-md:px-4">{words.groups[group]}</h2>
              ) : null}
              <SessionRow
                session={session}
                isCurrent={session.id === current}
                isUnread={isUnread(session, seen, index)}
                isStop={isStop}
                onDeleted={leave}
              />
            </>
          )}
        </VirtualList>
      ) : null}
      {q && data?.content_match_truncated ? (
        <p className="flex-none px-2 py-2 text-12 text-muted">{words.cutShort}</p>
      ) : null}
    </>
  )
}

const NONE: readonly Session[] = []
const idOf = ({ session }: ListRow) => session.id
const rowHeight = ({ group }: ListRow) => (group ? 66 : 34)
