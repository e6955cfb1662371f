import type { AuditRecord } from '@parley/protocol/rest'
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query'
import { useDeferredValue } from 'react'
import { Link } from 'wouter'
import { meQuery } from '../../../data/account.ts'
import { auditQuery, readAudit } from '../../../data/audit.ts'
import { routes } from '../../../routes.ts'
import { showToast } from '../../../shell/toasts.tsx'
import { useShortcuts } from '../../../shell/use-shortcuts.ts'
import { useFormat } from '../../../texts/format.ts'
import { useWords } from '../../../texts/language.ts'
import { Button } from '../../../ui/button.tsx'
import { Download } from '../../../ui/icons.tsx'
import { LastRead } from '../../../ui/last-read.tsx'
import { saveCsv } from '../../../ui/save-file.ts'
import { Empty, Failure, Skeleton } from '../../../ui/states.tsx'
import { AuditFilters } from './audit-filters.tsx'
import { toWhat } from './to-what.ts'
import { queryOf, useAuditFilter } from './use-audit-filter.ts'
import { useRowsInSight } from './use-rows-in-sight.ts'
import { auditWords } from './words.ts'
import './audit.css'

/** Who did what, and to what: as much as there is, and only what is in sight is drawn. */
export function AuditSection() {
  const words = useWords(auditWords)
  const { filter, count } = useAuditFilter()
  const asked = useDeferredValue(queryOf(filter))
  const { data, error, refetch, dataUpdatedAt, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    ...auditQuery(asked),
    placeholderData: (before) => before,
  })
  useShortcuts({ '/': () => document.querySelector<HTMLElement>('[data-filter]')?.focus() })
  const records = data?.pages.flatMap(({ items }) => items) ?? []
  const { ref, first, end, above, below } = useRowsInSight(records.length, () => {
    if (hasNextPage && !isFetchingNextPage && !error) void fetchNextPage()
  })
  if (error && !data) return <Failure error={error} retry={() => void refetch()} />
  return (
    <div className="flex flex-col gap-4">
      <div className="flex items-start gap-4 max-md:flex-col">
        <p className="grow text-14 text-muted">{words.about}</p>
        <SaveAll />
      </div>
      <AuditFilters />
      {data ? null : <Skeleton rows={10} />}
      {data && records.length === 0 ? <Nothing isFiltered={count > 0} /> : null}
      {records.length > 0 ? (
        <div role="table" aria-label={words.list} className="text-13">
          <div role="rowgroup" className="max-md:sr-only">
            <div role="row" className="audit-row border-b border-line pb-2 text-12 font-medium text-muted">
              {[words.time, words.who, words.what, words.subject].map((head) => (
                <span key={head} role="columnheader">
                  {head}
                </span>
              ))}
            </div>
          </div>
          <div role="rowgroup" ref={ref} style={{ paddingBlock: `${above}px ${below}px` }}>
            {records.slice(first, end).map((record) => (
              <Row key={record.id} record={record} />
            ))}
          </div>
        </div>
      ) : null}
      {error && data ? <LastRead at={dataUpdatedAt} /> : null}
    </div>
  )
}

function Row({ record }: { record: AuditRecord }) {
  const words = useWords(auditWords)
  const format = useFormat()
  const { data: me } = useQuery(meQuery)
  const { at, actor, actor_name, action } = record
  const { text, href } = toWhat(record, me?.id)
  return (
    <div role="row" data-action={action} className="audit-row border-b border-line py-2">
      <span role="cell" className="whitespace-nowrap text-muted">
        <time dateTime={at} title={format.absolute(at)}>
          {`${format.day(at)} ${format.clockWithSeconds(at)}`}
        </time>
      </span>
      <span role="cell" className="truncate font-medium" title={actor}>
        {actor_name ?? (actor === 'system' ? words.system : words.gone)}
      </span>
      <span role="cell" className="truncate" title={action}>
        {words.actions[action] ?? action}
      </span>
      <span role="cell" className="truncate" title={text}>
        {href ? (
          <Link href={href} className="text-accent">
            {text}
          </Link>
        ) : (
          <span className="text-muted">{text}</span>
        )}
      </span>
    </div>
  )
}

function SaveAll() {
  const words = useWords(auditWords)
  const format = useFormat()
  const { filter } = useAuditFilter()
  const save = useMutation({
    mutationFn: () => readAudit(queryOf(filter)),
    onSuccess({ records, isAll }) {
      const columns = ['at', 'actor', 'actor_name', 'action', 'subject', 'detail', 'session_id', 'run_id'] as const
      saveCsv([columns, ...records.map((record) => columns.map((column) => record[column]))], 'audit.csv')
      if (!isAll) showToast(words.saved(format.number(records.length)))
    },
    onError: (error) => showToast(error.message),
  })
  return (
    <Button className="flex-none" isBusy={save.isPending} onClick={() => save.mutate()}>
      <Download size={16} strokeWidth={1.75} />
      {words.csv}
    </Button>
  )
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  const words = useWords(auditWords)
  if (!isFiltered) return <Empty title={words.empty} />
  return (
    <Empty
      title={words.noMatch}
      action={
        <Link href={routes.settings('audit')} className="text-13 font-medium text-accent">
          {words.showAll}
        </Link>
      }
    />
  )
}
