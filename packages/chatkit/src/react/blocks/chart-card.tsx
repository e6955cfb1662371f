import { useEffect, useRef, useState, type ReactNode } from 'react'
import type { ChartDrawer, ChartSubject } from '../../lazy/draw-chart.ts'
import { loadCharts } from '../../lazy/parts.ts'
import { useLoaded } from '../../markdown/use-loaded.ts'
import { useDrawer } from '../frame/drawer.tsx'
import { Icon } from '../controls/icon.tsx'
import { IconButton } from '../controls/icon-button.tsx'
import { useKit, type ChartRequest } from '../kit/kit-context.ts'
import { useKitColors } from './use-kit-colors.ts'
import { clampHeight } from './card-document.ts'
import { saveChart } from './export-chart.ts'

type Drawable = { subject: ChartSubject; request: ChartRequest; height?: number }
type ChartCardProps = {
  title: string
  chart: Drawable
  choice?: ReactNode
  /** Its numbers; `null` if they cannot be told. */
  table: ReactNode
  /** Drawn by somebody else, for what the library cannot draw. */
  picture?: ReactNode
  isLarge?: boolean
}

/** A chart or, as the reader likes, its numbers; the numbers also while the library loads and where it cannot draw. */
export function ChartCard({ title, chart, choice, table, picture: given, isLarge = false }: ChartCardProps) {
  const { texts, renderChart } = useKit().options
  const { openDrawer } = useDrawer()
  const figure = useRef<HTMLElement>(null)
  const [isTable, setTable] = useState(false)
  const [broken, setBroken] = useState<ChartSubject>()
  const draw = useLoaded(renderChart ? undefined : loadCharts)
  const own = renderChart?.(chart.request)
  const canDraw = draw && broken !== chart.subject
  const picture = canDraw ? <ChartPicture {...{ title, draw, isLarge }} chart={chart} onFail={setBroken} /> : own
  // A card of its own, not one inside this one.
  if (!picture && given !== undefined && (draw || table === null)) return given
  const enlarge = () =>
    openDrawer({
      title,
      isWide: true,
      content: <ChartCard title={title} chart={chart} table={table} picture={given} isLarge />,
    })
  return (
    <figure ref={figure} className="ck-card ck-chart">
      <figcaption className="ck-card-head ck-chart-head">
        <Icon name="chart" />
        <span className="ck-chart-title">{title}</span>
        {picture ? (
          <>
            {isTable ? null : choice}
            {table === null ? null : (
              <button type="button" className="ck-button" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
                {texts.asTable}
              </button>
            )}
            {isLarge ? null : <IconButton icon="enlarge" label={texts.enlarge} onClick={enlarge} />}
          </>
        ) : null}
        <IconButton icon="save" label={texts.saveChart} onClick={() => saveChart(figure.current!, title)} />
      </figcaption>
      {picture && !isTable ? picture : table}
    </figure>
  )
}

type ChartPictureProps = {
  title: string
  chart: Drawable
  draw: ChartDrawer
  onFail: (subject: ChartSubject) => void
  isLarge: boolean
}

function ChartPicture({ title, chart: { subject, height }, draw, onFail, isLarge }: ChartPictureProps) {
  const { locale } = useKit().options
  const [space, setSpace] = useState<HTMLDivElement | null>(null)
  const colors = useKitColors(space)
  useEffect(() => {
    if (!space || !colors) return
    const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches
    try {
      return draw(space, subject, { colors, locale, isStill })
    } catch {
      onFail(subject) // Options that a model wrote may be anything: the numbers stay.
    }
    return undefined
  }, [space, colors, draw, subject, locale, onFail])
  return (
    <div
      ref={setSpace}
      className="ck-chart-space"
      data-large={isLarge || undefined}
      role="img"
      aria-label={title}
      style={isLarge || height === undefined ? undefined : { height: clampHeight(height) }}
    />
  )
}
