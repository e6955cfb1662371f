import { TriangleAlert } from '../../ui/icons.tsx'
import { useEffect, useRef } from 'react'
import { useFormat } from '../../texts/format.ts'
import { useWords } from '../../texts/language.ts'
import type { Row } from '../../timeline/rows.ts'
import { VirtualList, type VirtualListHandle } from '../../ui/virtual-list.tsx'
import { detailText, rowText } from './row-words.ts'
import { momentOf, since } from './times.ts'
import { useDecider } from './use-deciders.ts'
import { runWords } from './words.ts'

type LedgerProps = {
  rows: readonly Row[]
  /** Milliseconds since 1970. */
  start: number
  /** So many events have happened. */
  count: number
  onChoose: (count: number) => void
}

const TONES: Partial<Record<Row['words']['key'], string>> = {
  crash: 'bg-danger-soft text-danger on-tint',
  take_over: 'bg-recover-soft text-recover on-tint',
  hand_back: 'bg-recover-soft text-recover on-tint',
}

/** One row an event, or a few of the same kind. What comes after the playhead is muted, not hidden. */
export function Ledger({ rows, start, count, onChoose }: LedgerProps) {
  const words = useWords(runWords)
  const list = useRef<VirtualListHandle>(null)
  const current = rowAt(rows, count)
  useEffect(() => list.current?.show(current), [current])
  return (
    <VirtualList ref={list} label={words.ledger} items={rows} keyOf={idOf} guess={rowHeight} stop={current}>
      {(row, { index, isStop }) => (
        <LedgerRow
          row={row}
          start={start}
          isFirst={index === 0}
          isCurrent={index === current}
          isAhead={index > current}
          isStop={isStop}
          onChoose={onChoose}
        />
      )}
    </VirtualList>
  )
}

const idOf = ({ id }: Row) => id
const rowHeight = () => 28

/** The row of the last event that has happened. */
export function rowAt(rows: readonly Row[], count: number): number {
  const found = rows.findIndex(({ from, to }) => from <= count - 1 && count - 1 <= to)
  return found === -1 ? Math.max(0, rows.length - 1) : found
}

type LedgerRowProps = {
  row: Row
  start: number
  isFirst: boolean
  isCurrent: boolean
  isAhead: boolean
  isStop: boolean
  onChoose: (count: number) => void
}

function LedgerRow({ row, start, isFirst, isCurrent, isAhead, isStop, onChoose }: LedgerRowProps) {
  const words = useWords(runWords)
  const format = useFormat()
  const decider = useDecider(row.words.key === 'decided' ? row.words.confirmation_id : null)
  const { seq, at, points } = row
  const tone = TONES[row.words.key] ?? (isCurrent ? 'bg-accent-soft text-text on-tint' : isAhead ? 'text-muted' : '')
  return (
    <button
      type="button"
      tabIndex={isStop ? 0 : -1}
      aria-current={isCurrent ? 'step' : undefined}
      onClick={() => onChoose(Math.max(row.to, row.from) + 1)}
      className={`flex min-h-7 w-full items-center gap-3 border-l-2 border-transparent px-5 text-left text-13 hover:bg-hover aria-[current]:border-accent max-md:min-h-11 max-md:px-4 ${tone}`}
    >
      <span className="w-24 flex-none truncate text-right text-faint max-md:hidden">{numbersOf(seq)}</span>
      <span className="w-16 flex-none text-faint" title={format.absolute(start + at)}>
        {isFirst ? momentOf(start).slice(0, 8) : since(at)}
      </span>
      <span className="flex w-14 flex-none justify-center">
        {row.words.key === 'crash' ? <TriangleAlert size={14} aria-hidden="true" /> : null}
        {points.length > 0 ? (
          <span
            className={`rounded-chip px-1 text-11 font-medium ${isAhead ? 'border border-line text-muted' : 'bg-hover text-muted'}`}
          >
            {points.join(' ')}
          </span>
        ) : null}
      </span>
      <span className="min-w-0 grow truncate">{rowText(row.words, words, format)}</span>
      <span className="max-w-[45%] flex-none truncate text-right text-faint max-md:hidden">
        {decider ?? detailText(row.detail, words, format)}
      </span>
    </button>
  )
}

function numbersOf(seq: Row['seq']): string {
  if (seq === null) return ''
  return seq[0] === seq[1] ? String(seq[0]) : `${seq[0]}–${seq[1]}`
}
