import { formatValue } from '../texts/format.ts'
import { useTexts } from '../kit/kit-context.ts'

type DataTableProps = { title: string; columns: readonly string[]; rows: readonly (readonly unknown[])[] }

export function DataTable({ title, columns, rows }: DataTableProps) {
  const texts = useTexts()
  if (rows.length === 0 || columns.length === 0) return <p className="ck-muted">{texts.noData}</p>
  return (
    // Focusable, so that a long table can be scrolled with the keyboard.
    <div className="ck-table ck-data" role="group" aria-label={title} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map((name, i) =>
              name === '' ? (
                // oxlint-disable-next-line react/no-array-index-key -- columns may share a name
                <td key={i} />
              ) : (
                // oxlint-disable-next-line react/no-array-index-key -- as above
                <th key={i} scope="col">
                  {name}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, i) => (
            // oxlint-disable-next-line react/no-array-index-key -- rows have no other identity
            <tr key={i}>
              {columns.map((_, j) => (
                // oxlint-disable-next-line react/no-array-index-key -- as above
                <td key={j}>{row[j] === undefined || row[j] === null ? '' : formatValue(row[j])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
