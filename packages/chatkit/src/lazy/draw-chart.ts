import {
  BarChart,
  BoxplotChart,
  CandlestickChart,
  FunnelChart,
  GaugeChart,
  GraphChart,
  HeatmapChart,
  LineChart,
  PieChart,
  RadarChart,
  SankeyChart,
  ScatterChart,
  TreeChart,
  TreemapChart,
} from 'echarts/charts'
import {
  AriaComponent,
  AxisPointerComponent,
  CalendarComponent,
  DatasetComponent,
  DataZoomComponent,
  GridComponent,
  LegendComponent,
  MarkAreaComponent,
  MarkLineComponent,
  MarkPointComponent,
  PolarComponent,
  RadarComponent,
  SingleAxisComponent,
  TitleComponent,
  TooltipComponent,
  VisualMapComponent,
} from 'echarts/components'
import { init, use } from 'echarts/core'
import { LabelLayout, LegacyGridContainLabel } from 'echarts/features'
import { SVGRenderer } from 'echarts/renderers'
import type { Plot } from '../model/display-blocks.ts'
import { chartTheme, type KitColors } from './chart-theme.ts'
import { plotOption } from './plot-option.ts'
import { safeOption, type SafeOption } from './safe-option.ts'

export type ChartSubject = { plot: Plot; type: Plot['chartType'] } | { option: object }
export type ChartSetting = { colors: KitColors; locale: string; isStill: boolean }
/** Draws into an element and follows its size. Throws for what it cannot draw. The result takes it away again. */
export type ChartDrawer = (target: HTMLElement, subject: ChartSubject, setting: ChartSetting) => () => void

use([BarChart, BoxplotChart, CandlestickChart, FunnelChart, GaugeChart, GraphChart, HeatmapChart, LineChart])
use([PieChart, RadarChart, SankeyChart, ScatterChart, TreeChart, TreemapChart])
use([AriaComponent, AxisPointerComponent, CalendarComponent, DatasetComponent, DataZoomComponent, GridComponent])
use([LegendComponent, MarkAreaComponent, MarkLineComponent, MarkPointComponent, PolarComponent, RadarComponent])
use([SingleAxisComponent, TitleComponent, TooltipComponent, VisualMapComponent])
use([LabelLayout, LegacyGridContainLabel, SVGRenderer])

export const drawChart: ChartDrawer = (target, subject, { colors, locale, isStill }) => {
  const option = safeOption('plot' in subject ? plotOption(subject.plot, subject.type) : subject.option)
  if (!option) throw new TypeError('The option holds no chart of a known type, or too many values.')
  const chart = init(target, chartTheme(colors), { renderer: 'svg', locale: /^zh\b/i.test(locale) ? 'ZH' : 'EN' })
  try {
    chart.setOption({ baseOption: finished(option, isStill), media: narrowPies(option) })
  } catch (error) {
    chart.dispose()
    throw error
  }
  const observer = new ResizeObserver(() => chart.resize())
  observer.observe(target)
  return () => {
    observer.disconnect()
    chart.dispose()
  }
}

/** What holds for every chart. Tooltips are drawn, never inserted as HTML; the title stands above the chart. */
function finished(option: SafeOption, isStill: boolean): Record<string, unknown> {
  const { title, tooltip } = option
  return {
    ...option,
    ...(option['grid'] === undefined && { grid: roomFor(option) }),
    ...(isPlain(title) && { title: { ...title, text: '' } }),
    tooltip: { ...(isPlain(tooltip) ? tooltip : {}), renderMode: 'richText', confine: true },
    ...(isStill && { animation: false }),
  }
}

/** Where there is no room for words around a pie, its legend has to do. */
function narrowPies({ legend, series }: SafeOption): { query?: object; option: Record<string, unknown> }[] {
  if (legend === undefined || !series.some(({ type }) => type === 'pie')) return []
  const withLabels = (isShown: boolean) => ({
    series: series.map(({ type, label }) => {
      if (type !== 'pie') return {}
      const show = isShown && !(isPlain(label) && 'show' in label && label.show === false)
      return { label: { show }, labelLine: { show } }
    }),
  })
  return [{ query: { maxWidth: 420 }, option: withLabels(false) }, { option: withLabels(true) }]
}

/** What stands beside the axes needs a place of its own; without it, the axes get all of it. */
function roomFor({ legend, dataZoom }: SafeOption): object {
  const isAbove = isPlain(legend) && 'top' in legend
  const bottom = (legend === undefined || isAbove ? 8 : 40) + (dataZoom === undefined ? 0 : 48)
  return { bottom, ...(isAbove && { top: 48 }) }
}

const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
