import { useState, type ReactNode } from 'react'
import type { ChartBlock, Json2PlotBlock, Plot } from '../../model/display-blocks.ts'
import { formatValue } from '../format.ts'
import { Icon } from '../icon.tsx'
import { useKit, useTexts, type BlockProps } from '../kit-context.ts'
import { CodeBlock } from '../../markdown/code-block.tsx'

type Column = { key: string; title: string }

/** A chart with its numbers as a table; only the table while no chart library is given. */
export function Json2PlotBlockView({ block }: BlockProps<Json2PlotBlock>) {
  const { renderChart, texts } = useKit().options
  const plot = block.content
  const columns = [...plot.dimensions, ...plot.measures].map(({ name, displayName }) => ({
    key: name,
    title: displayName || name,
  }))
  const canDraw = renderChart && plot.dimensions.length > 0 && plot.measures.length > 0 && plot.rows.length > 0
  const title = plot.title ?? texts.chart
  const chart = canDraw ? renderChart({ type: plot.chartType, title, rows: plot.rows, options: plot }) : undefined
  return <ChartCard title={title} chart={chart} table={<DataTable plot={plot} columns={columns} />} />
}

export function ChartBlockView({ block }: BlockProps<ChartBlock>) {
  const { renderChart, texts } = useKit().options
  return block.content.options.map((options, i) => (
    <ChartCard
      // oxlint-disable-next-line react/no-array-index-key -- charts have no other identity
      key={i}
      title={titleOf(options) ?? texts.chart}
      chart={renderChart?.({ type: 'ECharts', title: titleOf(options) ?? texts.chart, options })}
      table={<CodeBlock code={formatValue(options)} language="json" />}
    />
  ))
}

function ChartCard({ title, chart, table }: { title: string; chart: ReactNode; table: ReactNode }) {
  const texts = useTexts()
  const [isTable, setTable] = useState(false)
  return (
    <figure className="ck-card ck-chart">
      <figcaption className="ck-card-head">
        <Icon name="chart" />
        {title}
        {chart ? (
          <button type="button" className="ck-button ck-quiet" onClick={() => setTable(!isTable)}>
            {isTable ? texts.asChart : texts.asTable}
          </button>
        ) : null}
      </figcaption>
      {chart && !isTable ? <div className="ck-chart-space">{chart}</div> : table}
    </figure>
  )
}

function DataTable({ plot, columns }: { plot: Plot; columns: readonly Column[] }) {
  const texts = useTexts()
  if (plot.rows.length === 0 || columns.length === 0) return <p className="ck-muted">{texts.noData}</p>
  return (
    <div className="ck-table" role="region" aria-label={plot.title ?? texts.table} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map(({ key, title }) => (
              <th key={key} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {plot.rows.map((row, i) => (
            // oxlint-disable-next-line react/no-array-index-key -- rows have no other identity
            <tr key={i}>
              {columns.map(({ key }) => (
                <td key={key}>{row[key] === undefined || row[key] === null ? '' : formatValue(row[key])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function titleOf(options: object): string | undefined {
  const { title } = options as { title?: { text?: unknown } }
  return typeof title?.text === 'string' ? title.text : undefined
}
