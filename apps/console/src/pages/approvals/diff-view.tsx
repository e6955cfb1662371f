import { FilePenLine } from '../../ui/icons.tsx'
import { useMemo } from 'react'
import { useWords } from '../../texts/language.ts'
import { diffOf, type DiffRow } from './diff-rows.ts'
import { ShownText } from './shown-text.tsx'
import { approvalWords } from './words.ts'

type DiffViewProps = { name: string; before: string | null; after: string; line?: number }

const SIGNS = { same: '', added: '+', removed: '−' } as const
const GROUNDS = { same: '', added: 'bg-added-soft on-tint', removed: 'bg-deleted-soft on-tint' } as const

/** All of a change: old and new numbers, a sign, the line. Plain rows, so that it can be read aloud. */
export function DiffView({ name, before, after, line = 1 }: DiffViewProps) {
  const { rows, added, removed } = useMemo(() => diffOf(before, after, line), [before, after, line])
  return (
    <div className="overflow-hidden rounded-card border border-line">
      <div className="flex min-h-[34px] items-center gap-2 border-b border-line bg-raised px-4 text-13">
        <FilePenLine size={16} aria-hidden="true" className="flex-none" />
        <span className="min-w-0 grow font-mono [overflow-wrap:anywhere]">
          <ShownText text={name} />
        </span>
        <span className="flex-none font-mono font-medium text-added">+{added}</span>
        <span className="flex-none font-mono font-medium text-deleted">−{removed}</span>
      </div>
      <table dir="ltr" className="w-full border-collapse py-1 font-mono text-13">
        <tbody>
          {rows.map((row, at) => (
            <Row key={at} row={row} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Row({ row: { kind, old, fresh, parts, isOpen } }: { row: DiffRow }) {
  const words = useWords(approvalWords)
  const mark = kind === 'added' ? 'bg-added/25' : 'bg-deleted/25'
  return (
    <tr data-row={kind} className={`align-top ${GROUNDS[kind]}`}>
      <td className="w-12 pl-4 text-right text-faint select-none max-md:hidden">{old}</td>
      <td className="w-10 pl-2 text-right text-faint select-none max-md:pl-3">{fresh}</td>
      <td className={`w-6 text-center select-none ${kind === 'added' ? 'text-added' : 'text-deleted'}`}>
        {SIGNS[kind]}
      </td>
      <td className="pr-4 pl-2 [overflow-wrap:anywhere] whitespace-pre-wrap">
        {parts.map(({ text, isChanged }, index) =>
          isChanged ? (
            <span key={index} className={`rounded-chip ${mark}`}>
              <ShownText text={text} />
            </span>
          ) : (
            <ShownText key={index} text={text} />
          ),
        )}
        {isOpen && kind !== 'same' ? <span className="ml-2 text-12 text-muted">({words.noEnd})</span> : null}
      </td>
    </tr>
  )
}
