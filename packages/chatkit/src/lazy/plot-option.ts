import type { Plot } from '../model/display-blocks.ts'

/** A plot as an ECharts option. The first dimension is the category axis; Pie and Circle draw the first measure only. */
export function plotOption(plot: Plot, type: Plot['chartType']): object {
  const [dimension] = plot.dimensions
  const categories = plot.rows.map((row) => textOf(row[dimension?.name ?? '']))
  if (type === 'Pie' || type === 'Circle') {
    const [measure] = plot.measures
    const data = plot.rows.map((row, i) => ({ name: categories[i], value: numberOf(row[measure?.name ?? '']) }))
    const radius = type === 'Circle' ? ['42%', '64%'] : '64%'
    return {
      tooltip: { trigger: 'item' },
      legend: { type: 'scroll', bottom: 0 },
      series: [{ type: 'pie', name: measure?.displayName || measure?.name, radius, center: ['50%', '45%'], data }],
    }
  }
  return {
    tooltip: { trigger: 'axis' },
    ...(plot.measures.length > 1 && { legend: { type: 'scroll', bottom: 0 } }),
    xAxis: { type: 'category', data: categories, boundaryGap: type === 'Column' },
    yAxis: { type: 'value' },
    series: plot.measures.map(({ name, displayName }) => ({
      type: type === 'Column' ? 'bar' : 'line',
      name: displayName || name,
      data: plot.rows.map((row) => numberOf(row[name])),
    })),
  }
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value)

/** Platforms send numbers as text now and then; what is none is a gap. */
function numberOf(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value.replaceAll(',', '')) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : null
}
