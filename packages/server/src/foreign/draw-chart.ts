/** `option` as JSON text. */
export type ChartJob = { option: string; width: number; height: number }

const MAX_CHARACTERS = 2_000_000

/** Runs in a process with limits: an option may ask for a billion ticks, or filter its data by an expression. */
export async function drawChart({ option, width, height }: ChartJob): Promise<string> {
  const echarts = await import('echarts')
  const chart = echarts.init(null, null, { renderer: 'svg', ssr: true, width, height })
  chart.setOption({ ...(JSON.parse(option) as object), animation: false })
  const svg = chart.renderToSVGString()
  chart.dispose()
  if (svg.length > MAX_CHARACTERS) throw new Error('The drawing is too large. Aggregate the data.')
  return svg
}
