import { useMemo, useState, type ReactNode } from 'react'
import type { Plot } from '../../model/display-blocks.ts'
import { useTexts } from '../kit/kit-context.ts'
import { ChartCard } from './chart-card.tsx'
import { DataTable } from './data-table.tsx'
import { tableOfOption } from './option-table.ts'

const TYPES = ['Line', 'Column', 'Pie', 'Circle'] as const

export function PlotView({ plot, table }: { plot: Plot; table: ReactNode }) {
  const texts = useTexts()
  const [type, setType] = useState(plot.chartType)
  const subject = useMemo(() => ({ plot, type }), [plot, type])
  const title = plot.title ?? texts.chart
  const choice = (
    <span className="ck-choice" role="group" aria-label={texts.chartType}>
      {TYPES.map((name) => (
        <button
          key={name}
          type="button"
          className="ck-button"
          aria-pressed={name === type}
          onClick={() => setType(name)}
        >
          {texts.chartTypes[name]}
        </button>
      ))}
    </span>
  )
  const request = { type, title, rows: plot.rows, options: plot }
  return <ChartCard title={title} chart={{ subject, request }} choice={choice} table={table} />
}

type OptionViewProps = {
  option: object
  title?: string | undefined
  height?: number | undefined
  /** In place of what cannot be drawn: its source, or a picture of it. */
  plain: ReactNode
  isPicture?: boolean
}

export function OptionView({ option, height, plain, isPicture = false, ...props }: OptionViewProps) {
  const texts = useTexts()
  const title = props.title ?? titleOf(option) ?? texts.chart
  const subject = useMemo(() => ({ option }), [option])
  const numbers = useMemo(() => tableOfOption(option), [option])
  const table = numbers ? <DataTable title={title} {...numbers} /> : isPicture ? null : plain
  const request = { type: 'ECharts', title, options: option }
  const chart = { subject, request, ...(height !== undefined && { height }) }
  return <ChartCard title={title} chart={chart} table={table} {...(isPicture && { picture: plain })} />
}

function titleOf(option: object): string | undefined {
  const { title } = option as { title?: { text?: unknown } | { text?: unknown }[] }
  const text = (Array.isArray(title) ? title[0] : title)?.text
  return typeof text === 'string' && text !== '' ? text : undefined
}
