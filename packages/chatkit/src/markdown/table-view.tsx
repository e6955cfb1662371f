import type { Tokens } from 'marked'
import { memo, type ReactNode } from 'react'
import { renderInline } from './inline-view.tsx'
import type { MarkdownToken } from './lex-part.ts'
import type { MarkdownBlock, MarkdownPart } from './markdown-document.ts'
import { useMarkdownOptions } from './markdown-options.ts'

/** A table of the text itself: the first part is its head, every other one a row. */
export function TableBlock({ block }: { block: MarkdownBlock }) {
  const [head, ...rows] = block.parts
  return (
    <TableFrame
      head={head && <PartHead part={head} />}
      rows={rows.map((part) => (
        <PartRow key={part.key} part={part} />
      ))}
    />
  )
}

/** A table inside something else, drawn whole. */
export function NestedTable({ table }: { table: Tokens.Table }) {
  return (
    <TableFrame
      head={<Row cells={table.header} />}
      rows={table.rows.map((cells, i) => (
        <Row key={i} cells={cells} />
      ))}
    />
  )
}

const PartHead = memo(function PartHead({ part }: { part: MarkdownPart }) {
  return <Row cells={tableOf(part)?.header ?? []} />
})

const PartRow = memo(function PartRow({ part }: { part: MarkdownPart }) {
  return tableOf(part)?.rows.map((cells, i) => <Row key={i} cells={cells} />)
})

function TableFrame({ head, rows }: { head: ReactNode; rows: ReactNode[] }) {
  const { texts } = useMarkdownOptions()
  return (
    // Focusable, so that a wide table can be scrolled with the keyboard.
    <div className="ck-table" role="group" aria-label={texts.table} tabIndex={0}>
      <table>
        <thead>{head}</thead>
        {rows.length > 0 ? <tbody>{rows}</tbody> : null}
      </table>
    </div>
  )
}

function Row({ cells }: { cells: readonly Tokens.TableCell[] }) {
  return (
    <tr>
      {cells.map((cell, i) => {
        const Cell = cell.header ? 'th' : 'td'
        return (
          <Cell key={i} {...(cell.align && { className: `ck-align-${cell.align}` })}>
            {renderInline(cell.tokens as MarkdownToken[])}
          </Cell>
        )
      })}
    </tr>
  )
}

const tableOf = (part: MarkdownPart): Tokens.Table | undefined =>
  part.tokens.find((token): token is Tokens.Table => token.type === 'table')
