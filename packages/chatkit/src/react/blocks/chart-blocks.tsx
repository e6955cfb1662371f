import type { ReactNode } from 'react'
import { CodeBlock } from '../../markdown/code-block.tsx'
import { useLoaded } from '../../markdown/use-loaded.ts'
import type { ChartBlock, Json2PlotBlock, Plot } from '../../model/display-blocks.ts'
import { formatValue } from '../texts/format.ts'
import { Icon } from '../controls/icon.tsx'
import { useTexts, type BlockProps } from '../kit/kit-context.ts'
import { UiCardBlockView } from './card-blocks.tsx'
import { DataTable } from './data-table.tsx'
import { loadViews } from './load-views.ts'

/** A chart with its numbers as a table, and a choice of how to draw them. Only the table until that is loaded. */
export function Json2PlotBlockView({ block }: BlockProps<Json2PlotBlock>) {
  const texts = useTexts()
  const plot = block.content
  const canDraw = plot.dimensions.length > 0 && plot.measures.length > 0 && plot.rows.length > 0
  const views = useLoaded(canDraw ? loadViews : undefined)
  const title = plot.title ?? texts.chart
  const table = <DataTable title={title} {...tableOfPlot(plot)} />
  return views ? <views.PlotView plot={plot} table={table} /> : <PlainChart title={title}>{table}</PlainChart>
}

/** ECharts options, below each other. */
export function ChartBlockView(props: BlockProps<ChartBlock>) {
  const texts = useTexts()
  const views = useLoaded(loadViews)
  const { options, title, height, card } = props.block.content
  return options.map((option, i) => {
    const plain = card ? (
      <UiCardBlockView {...props} block={{ type: 'UiCard', content: card }} />
    ) : (
      <CodeBlock code={formatValue(option)} language="json" />
    )
    // oxlint-disable-next-line react/no-array-index-key -- charts have no other identity
    if (views) return <views.OptionView key={i} {...{ option, title, height, plain }} isPicture={card !== undefined} />
    // oxlint-disable-next-line react/no-array-index-key -- as above
    return (
      <PlainChart key={i} title={title ?? texts.chart} children={card ? <div className="ck-chart-space" /> : plain} />
    )
  })
}

function PlainChart({ title, children }: { title: string; children: ReactNode }) {
  return (
    <figure className="ck-card ck-chart">
      <figcaption className="ck-card-head">
        <Icon name="chart" />
        {title}
      </figcaption>
      {children}
    </figure>
  )
}

function tableOfPlot({ dimensions, measures, rows }: Plot) {
  const fields = [...dimensions, ...measures]
  return {
    columns: fields.map(({ name, displayName }) => displayName || name),
    rows: rows.map((row) => fields.map(({ name }) => row[name])),
  }
}
