import { ChevronLeft } from '../ui/icons.tsx'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { useWords } from '../texts/language.ts'
import { shellWords } from './words.ts'

type FrameProps = {
  /** What the column beside the sheet holds; none for pages that need the whole width. */
  list?: ReactNode
  /** On a phone list and sheet are two pages: which one this address is. */
  shows?: 'list' | 'sheet'
  children: ReactNode
}

/** The column with what a page is about, and the sheet. Every page is one of these. */
export function Frame({ list, shows = 'sheet', children }: FrameProps) {
  return (
    <>
      {list ? (
        <aside
          data-area="list"
          data-shown={shows === 'list' || undefined}
          className="list-column flex w-75 flex-none flex-col overflow-hidden max-md:hidden max-md:data-shown:flex max-md:w-full max-md:grow"
        >
          {list}
        </aside>
      ) : null}
      <main
        data-area="sheet"
        data-shown={shows === 'sheet' || !list || undefined}
        className="relative m-2 ml-0 flex min-w-0 grow flex-col overflow-hidden rounded-sheet border border-line bg-surface max-md:m-0 max-md:hidden max-md:rounded-none max-md:border-0 max-md:data-shown:flex"
      >
        {children}
      </main>
    </>
  )
}

type SheetBarProps = {
  title: ReactNode
  /** Where the page came from: for phones only, unless it is `up` for who has a wide screen, too. */
  back?: string
  up?: string
  children?: ReactNode
}

/** Title and what can be done, on top of a sheet. */
export function SheetBar({ title, back, up, children }: SheetBarProps) {
  const words = useWords(shellWords)
  return (
    <header
      data-back={back || up ? '' : undefined}
      className="flex min-h-13 flex-none items-center gap-2 border-b border-line px-5 max-md:px-4 max-md:data-back:px-2"
    >
      {back || up ? (
        <Link
          href={(up ?? back)!}
          aria-label={words.back}
          title={words.back}
          className={`inline-flex size-8 flex-none items-center justify-center rounded-control text-muted hover:bg-hover max-md:size-11 ${up ? '' : 'md:hidden'}`}
        >
          <ChevronLeft size={18} />
        </Link>
      ) : null}
      <div className="min-w-0 grow text-15 font-semibold">{title}</div>
      {children}
    </header>
  )
}

/** Title of the list column, and what it can make. */
export function ListBar({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <header className="flex min-h-13 flex-none items-center justify-between gap-2 pt-2 pr-2 pl-2 max-md:px-4">
      <h1 className="text-17 font-semibold">{title}</h1>
      {children}
    </header>
  )
}
