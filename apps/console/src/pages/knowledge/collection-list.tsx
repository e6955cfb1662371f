import { useQuery } from '@tanstack/react-query'
import { FilePlus, Plus } from '../../ui/icons.tsx'
import type { KeyboardEvent } from 'react'
import { Link } from 'wouter'
import { useImports } from '../../data/imports.ts'
import { collectionsQuery, DEFAULT_COLLECTION } from '../../data/knowledge.ts'
import { routes } from '../../routes.ts'
import { ListBar } from '../../shell/frame.tsx'
import { useFormat } from '../../texts/format.ts'
import { useWords } from '../../texts/language.ts'
import { IconButton } from '../../ui/button.tsx'
import { Failure, Skeleton } from '../../ui/states.tsx'
import { knowledgeWords } from './words.ts'

/** All documents, and each collection with how many it has. */
export function CollectionList({ current, onNew }: { current: string; onNew: () => void }) {
  const words = useWords(knowledgeWords)
  const { data, error, isPending, refetch } = useQuery(collectionsQuery)
  const imports = useImports()
  const failedIn = (name: string) =>
    imports.filter(({ collection, state }) => state === 'failed' && collection === name).length
  const total = data?.reduce((sum, { documentCount }) => sum + documentCount, 0) ?? 0
  return (
    <>
      <ListBar title={words.title}>
        <IconButton label={words.new} shortcut="n" onClick={onNew} className="border border-line bg-surface">
          <Plus size={18} />
        </IconButton>
      </ListBar>
      {error && !data ? <Failure error={error} retry={() => void refetch()} /> : null}
      {isPending ? <Skeleton rows={4} /> : null}
      {data ? (
        <nav aria-label={words.collections} onKeyDown={moveFocus} className="flex grow flex-col overflow-y-auto pt-2">
          <Row href={routes.allDocuments} name={words.all} isCurrent={current === ''} count={total} />
          {data.map(({ name, documentCount }) => (
            <Row
              key={name}
              href={routes.collection(name)}
              name={name === DEFAULT_COLLECTION ? words.defaultName : name}
              isCurrent={name === current}
              count={documentCount}
              failed={failedIn(name)}
            />
          ))}
          {data.length === 0 ? (
            <button
              type="button"
              onClick={onNew}
              className="mr-1 flex min-h-[34px] items-center gap-2 rounded-card px-2 text-13 text-muted hover:bg-hover max-md:min-h-11 max-md:px-4"
            >
              <FilePlus size={16} />
              {words.new}
            </button>
          ) : null}
        </nav>
      ) : null}
    </>
  )
}

type RowProps = { href: string; name: string; isCurrent: boolean; count: number; failed?: number }

function Row({ href, name, isCurrent, count, failed = 0 }: RowProps) {
  const words = useWords(knowledgeWords)
  const format = useFormat()
  return (
    <Link
      href={href}
      aria-current={isCurrent ? 'page' : undefined}
      className="mr-1 flex min-h-[34px] items-center gap-2 rounded-card px-2 text-13 hover:bg-hover aria-[current]:bg-selected max-md:min-h-11 max-md:px-4 max-md:aria-[current]:bg-transparent"
    >
      <span className="min-w-0 grow truncate">{name}</span>
      {failed > 0 ? <span className="flex-none text-12 text-danger">{words.failed(failed)}</span> : null}
      <span className="flex-none text-12 text-faint">
        <span aria-hidden="true">{format.number(count)}</span>
        <span className="sr-only">{words.documents(count)}</span>
      </span>
    </Link>
  )
}

function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1 }[event.key]
  if (step === undefined) return
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>('a')]
  rows[rows.indexOf(document.activeElement as HTMLElement) + step]?.focus()
  event.preventDefault()
}
