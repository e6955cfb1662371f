import { expect, test } from 'vitest'
import type { Plot } from '../model/display-blocks.ts'
import { plotOption } from './plot-option.ts'

const plot: Plot = {
  chartType: 'Line',
  dimensions: [{ name: 'day', displayName: 'Day', dataType: 'string' }],
  measures: [
    { name: 'a', displayName: 'A', dataType: 'number' },
    { name: 'b', displayName: '', dataType: 'number' },
  ],
  rows: [
    { day: 'Mon', a: 1, b: '2,500.5' },
    { day: null, a: 'n/a', b: null },
  ],
}

test.each([
  ['Line', 'line'],
  ['Column', 'bar'],
] as const)('[K14] %s draws every measure over the first dimension', (type, series) => {
  expect(plotOption(plot, type)).toMatchObject({
    xAxis: { data: ['Mon', ''] },
    series: [
      { type: series, name: 'A', data: [1, null] },
      { type: series, name: 'b', data: [2500.5, null] },
    ],
  })
})

test.each([
  ['Pie', '64%'],
  ['Circle', ['42%', '64%']],
] as const)('[K14] %s draws the first measure', (type, radius) => {
  expect(plotOption(plot, type)).toMatchObject({
    series: [{ type: 'pie', name: 'A', radius, data: [{ name: 'Mon', value: 1 }, { value: null }] }],
  })
})
