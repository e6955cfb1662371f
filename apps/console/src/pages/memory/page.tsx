import { useInfiniteQuery } from '@tanstack/react-query'
import { Plus } from '../../ui/icons.tsx'
import { useDeferredValue, useRef, useState } from 'react'
import { Link, useLocation, useParams, useSearch } from 'wouter'
import { memoriesQuery } from '../../data/memories.ts'
import { UNTOLD_MS, useVisibleInterval } from '../../data/live/visible-interval.ts'
import { routes } from '../../routes.ts'
import { Frame, SheetBar } from '../../shell/frame.tsx'
import { focusedRow, useRowKeys } from '../../shell/use-row-keys.ts'
import { useShortcuts } from '../../shell/use-shortcuts.ts'
import { useFormat } from '../../texts/format.ts'
import { useWords } from '../../texts/language.ts'
import { Button } from '../../ui/button.tsx'
import { LastRead } from '../../ui/last-read.tsx'
import { Empty, Failure, Skeleton } from '../../ui/states.tsx'
import { useNarrow } from '../../ui/use-narrow.ts'
import { MemoryFilters } from './memory-filters.tsx'
import { MemoryPanel } from './memory-panel.tsx'
import { MemoryRows, MemoryTable, toggled } from './memory-table.tsx'
import { SelectionBar } from './selection-bar.tsx'
import { useMemoryDeeds } from './use-memory-deeds.ts'
import { queryOf, useMemoryFilter } from './use-memory-filter.ts'
import { memoryWords } from './words.ts'

const NONE: ReadonlySet<number> = new Set()

/** What agents remember of the reader: to be searched, corrected and forgotten. `/memory/:id` has one of them open. */
export function Page() {
  const words = useWords(memoryWords)
  const format = useFormat()
  const { id } = useParams<{ id?: string }>()
  const [, go] = useLocation()
  const search = useSearch()
  const isNarrow = useNarrow()
  const interval = useVisibleInterval(UNTOLD_MS)
  const { filter, count } = useMemoryFilter()
  const asked = useDeferredValue(queryOf(filter))
  const { data, error, refetch, dataUpdatedAt, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    ...memoriesQuery(asked),
    placeholderData: (before) => before,
    refetchInterval: interval,
  })
  const [selected, setSelected] = useState(NONE)
  const deeds = useMemoryDeeds()
  const list = useRef<HTMLDivElement>(null)
  const onKeyDown = useRowKeys(list)

  const memories = data?.pages.flatMap(({ items }) => items) ?? []
  const chosen = memories.filter((memory) => selected.has(memory.id))
  const isCut = error !== null
  const isFiltered = count > 0 || filter.q !== ''
  const isEmpty = data !== undefined && memories.length === 0 && !isFiltered
  /** What the keys are about: all that are chosen, else the row with the focus, else the open one. */
  const meant = () => {
    if (isCut) return []
    if (chosen.length > 0) return chosen
    return memories.filter((memory) => String(memory.id) === (focusedRow() ?? id))
  }
  useShortcuts({
    n: () => go(`${routes.newMemory}${search && `?${search}`}`),
    '/': () => document.querySelector<HTMLElement>('[data-filter]')?.focus(),
    x: () => setSelected((before) => meantRow(before)),
    d: () =>
      deeds.switch(
        meant(),
        meant().some(({ disabled }) => !disabled),
      ),
    Delete: () => deeds.remove(meant()),
  })
  const meantRow = (before: ReadonlySet<number>) => {
    const row = Number(focusedRow())
    return row ? toggled(before, row) : before
  }
  return (
    <Frame>
      <SheetBar
        title={
          <h1 className="flex items-baseline gap-3 max-md:pl-2">
            {words.title}
            {data && memories.length > 0 ? (
              <span className="text-12 font-normal text-muted">
                {words.count(format.number(data.pages[0]?.total ?? 0))}
              </span>
            ) : null}
          </h1>
        }
      >
        {isEmpty ? null : <WriteOne isPrimary={!id} />}
      </SheetBar>
      <div className="flex min-h-0 grow md:relative">
        <div className="flex min-w-0 grow flex-col">
          {memories.length > 0 || isFiltered ? <MemoryFilters topics={topicsOf(memories)} /> : null}
          <div ref={list} onKeyDown={onKeyDown} className="min-h-0 grow overflow-y-auto">
            {!data && error ? <Failure error={error} retry={() => void refetch()} /> : null}
            {!data && !error ? <Skeleton rows={10} /> : null}
            {data && memories.length === 0 ? <Nothing isFiltered={isFiltered} hasPanel={Boolean(id)} /> : null}
            {memories.length > 0 && isNarrow ? <MemoryRows memories={memories} isCut={isCut} /> : null}
            {memories.length > 0 && !isNarrow ? (
              <MemoryTable memories={memories} current={id} isCut={isCut} selected={selected} onSelect={setSelected} />
            ) : null}
            {hasNextPage ? (
              <Button className="m-4" isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
                {words.showMore}
              </Button>
            ) : null}
          </div>
          {chosen.length > 0 && !isNarrow && !isCut ? (
            <SelectionBar memories={chosen} onDone={() => setSelected(NONE)} />
          ) : null}
        </div>
        {id ? <MemoryPanel id={id} isCut={isCut} /> : null}
      </div>
      {isCut && data ? <LastRead at={dataUpdatedAt} /> : null}
    </Frame>
  )
}

function WriteOne({ isPrimary }: { isPrimary: boolean }) {
  const words = useWords(memoryWords)
  const search = useSearch()
  const look = isPrimary ? 'bg-accent text-on-accent hover:bg-accent-hover' : 'hover:bg-hover'
  return (
    <Link
      href={`${routes.newMemory}${search && `?${search}`}`}
      title={`${words.write} (n)`}
      className={`inline-flex min-h-8 items-center gap-2 rounded-control px-3 text-13 font-medium max-md:min-h-11 ${look}`}
    >
      <Plus size={16} aria-hidden="true" />
      {words.write}
    </Link>
  )
}

function Nothing({ isFiltered, hasPanel }: { isFiltered: boolean; hasPanel: boolean }) {
  const words = useWords(memoryWords)
  if (!isFiltered)
    return (
      <Empty title={words.emptyTitle} action={<WriteOne isPrimary={!hasPanel} />}>
        {words.emptyText}
      </Empty>
    )
  return (
    <Empty
      title={words.noMatch}
      action={
        <Link href={routes.memory} className="text-13 font-medium text-accent">
          {words.reset}
        </Link>
      }
    />
  )
}

function topicsOf(memories: readonly { topic: string | null }[]): string[] {
  return [...new Set(memories.flatMap(({ topic }) => (topic ? [topic] : [])))]
}
