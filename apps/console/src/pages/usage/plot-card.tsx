import { Bars, Download, Table } from '../../ui/icons.tsx'
import { useId, useState } from 'react'
import { Link } from 'wouter'
import { routes } from '../../routes.ts'
import { useWords } from '../../texts/language.ts'
import { IconButton } from '../../ui/button.tsx'
import { saveCsv } from '../../ui/save-file.ts'
import { useNarrow } from '../../ui/use-narrow.ts'
import { Drawing } from './drawing.tsx'
import type { Plot } from './plots.ts'
import { usageWords } from './words.ts'

type PlotCardProps = {
  plot: Plot
  starts: readonly number[]
  labels: readonly string[]
  at: number | null
  onAt: (at: number | null) => void
}

/** A sentence, what its marks mean, and the marks; or the same as a table, which phones begin with. */
export function PlotCard({ plot, starts, labels, at, onAt }: PlotCardProps) {
  const words = useWords(usageWords)
  const id = useId()
  const isNarrow = useNarrow()
  const [chosen, setChosen] = useState<'table' | 'plot' | null>(null)
  const isTable = (chosen ?? (isNarrow ? 'table' : 'plot')) === 'table'
  const { title, unit, series, missing } = plot
  const save = () =>
    saveCsv(
      [
        [words.time, ...series.map(({ name }) => name)],
        ...starts.map((start, index) => [new Date(start).toISOString(), ...series.map(({ values }) => values[index])]),
      ],
      `usage-${plot.name}.csv`,
    )
  return (
    <div role="group" aria-labelledby={id} className="flex min-w-0 flex-col gap-2">
      <header className="flex items-start gap-1">
        <div className="min-w-0 grow">
          <h2 id={id} className="text-14 font-semibold text-balance">
            {title}
          </h2>
          <p className="text-12 text-muted">{unit}</p>
        </div>
        {missing ? null : (
          <>
            <IconButton
              label={words.tableOf(title)}
              aria-pressed={isTable}
              className="flex-none"
              onClick={() => setChosen(isTable ? 'plot' : 'table')}
            >
              {isTable ? <Bars size={16} strokeWidth={1.75} /> : <Table size={16} strokeWidth={1.75} />}
            </IconButton>
            <IconButton label={words.csvOf(title)} className="flex-none" onClick={save}>
              <Download size={16} strokeWidth={1.75} />
            </IconButton>
          </>
        )}
      </header>
      {missing ? (
        <p className="usage-instead flex flex-col items-center justify-center gap-2 rounded-card bg-raised px-6 text-center text-13 text-muted">
          {missing}
          <Link href={routes.settings('models')} className="font-medium text-accent">
            {words.pricesHow}
          </Link>
        </p>
      ) : null}
      {!missing && isTable ? <PlotTable plot={plot} labels={labels} /> : null}
      {!missing && !isTable ? (
        <>
          <Legend plot={plot} label={at === null ? undefined : labels[at]} at={at} />
          <Drawing plot={plot} labels={labels} at={at} onAt={onAt} />
        </>
      ) : null}
    </div>
  )
}

/** What each colour means; with the values of where the line stands. */
function Legend({
  plot: { series, kind, show },
  label,
  at,
}: {
  plot: Plot
  label: string | undefined
  at: number | null
}) {
  return (
    <ul className="flex min-h-8 flex-wrap items-start gap-x-4 text-12 text-muted">
      {series.map(({ name, colour, isDashed, values }) => (
        <li key={name} className="flex items-center gap-1">
          {kind === 'bars' ? (
            <span aria-hidden="true" className="size-2 rounded-chip" style={{ background: colour }} />
          ) : (
            <span
              aria-hidden="true"
              className="w-4"
              style={{ borderTop: `2px ${isDashed ? 'dashed' : 'solid'} ${colour}` }}
            />
          )}
          {name}
          {at === null ? null : <span className="font-medium text-text">{shown(values[at], show)}</span>}
        </li>
      ))}
      {label ? <li className="ml-auto">{label}</li> : null}
    </ul>
  )
}

function PlotTable({ plot: { title, series, show }, labels }: Pick<PlotCardProps, 'plot' | 'labels'>) {
  const words = useWords(usageWords)
  return (
    // Focusable, because it scrolls.
    <div
      tabIndex={0}
      role="group"
      aria-label={words.tableOf(title)}
      className="usage-instead usage-table overflow-auto rounded-inner border border-line"
    >
      <table className="w-full text-13">
        <thead>
          <tr className="sticky top-0 bg-raised text-12 text-muted">
            <th scope="col" className="text-left font-medium">
              {words.time}
            </th>
            {series.map(({ name }) => (
              <th key={name} scope="col" className="text-right font-medium">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {labels
            .map((label, index) => (
              <tr key={label} className="border-t border-line">
                <th scope="row" className="text-left font-normal whitespace-nowrap text-muted">
                  {label}
                </th>
                {series.map(({ name, values }) => (
                  <td key={name} className="text-right">
                    {shown(values[index], show)}
                  </td>
                ))}
              </tr>
            ))
            .toReversed()}
        </tbody>
      </table>
    </div>
  )
}

function shown(value: number | null | undefined, show: (value: number) => string): string {
  return value === null || value === undefined ? '–' : show(value)
}
