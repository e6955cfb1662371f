import { CHART_THEME, followPage, roomFor, withReadableText } from './chart-look.ts'

/** `option` as JSON text. */
export type ChartJob = { option: string; widths: readonly number[]; height: number }

const MAX_CHARACTERS = 2_000_000

/**
 * One drawing for each width. Runs in a process with limits: an option may ask for a billion ticks, or filter its data by
 * an expression.
 */
export async function drawChart({ option, widths, height }: ChartJob): Promise<string[]> {
  const echarts = await import('echarts')
  const readable = withReadableText(JSON.parse(option)) as Record<string, unknown>
  let characters = 0
  return widths.map((width) => {
    const chart = echarts.init(null, CHART_THEME, { renderer: 'svg', ssr: true, width, height })
    chart.setOption({ ...roomFor(readable), ...readable, animation: false })
    const svg = followPage(chart.renderToSVGString())
    chart.dispose()
    characters += svg.length
    if (characters > MAX_CHARACTERS) throw new Error('The drawing is too large. Aggregate the data.')
    return svg
  })
}
