import { expect, test } from 'vitest'
import { tableOfOption } from './option-table.ts'

const days = { type: 'category', name: 'Day', data: ['Mon', { value: 'Tue' }] }

test.each([
  [
    'a category axis',
    { xAxis: days, yAxis: {}, series: [{ name: 'a', data: [1, 2] }, { data: [{ value: 3 }] }] },
    {
      columns: ['Day', 'a', '2'],
      rows: [
        ['Mon', 1, 3],
        ['Tue', 2, undefined],
      ],
    },
  ],
  [
    'a dataset of rows',
    {
      dataset: {
        source: [
          ['day', 'a'],
          ['Mon', 1],
        ],
      },
      series: [{ type: 'bar' }],
    },
    { columns: ['day', 'a'], rows: [['Mon', 1]] },
  ],
  [
    'a dataset of objects',
    {
      dataset: [
        {
          source: [
            { day: 'Mon', a: 1 },
            { day: 'Tue', b: 2 },
          ],
        },
      ],
    },
    {
      columns: ['day', 'a', 'b'],
      rows: [
        ['Mon', 1, undefined],
        ['Tue', undefined, 2],
      ],
    },
  ],
  [
    'a dataset of columns',
    { dataset: { source: { day: ['Mon', 'Tue'], a: [1, 2] } } },
    {
      columns: ['day', 'a'],
      rows: [
        ['Mon', 1],
        ['Tue', 2],
      ],
    },
  ],
  [
    'a pie',
    { series: [{ type: 'pie', name: 'Share', data: [{ name: 'a', value: 1 }] }] },
    { columns: ['', 'Share'], rows: [['a', 1]] },
  ],
  [
    'points',
    { xAxis: { name: 'Depth' }, yAxis: {}, series: [{ type: 'scatter', data: [[1, 2], { value: [3, 4] }] }] },
    {
      columns: ['Depth', 'y'],
      rows: [
        [1, 2],
        [3, 4],
      ],
    },
  ],
  [
    'a radar',
    { radar: { indicator: [{ name: 'Speed' }] }, series: [{ type: 'radar', data: [{ name: 'a', value: [7] }] }] },
    { columns: ['', 'a'], rows: [['Speed', 7]] },
  ],
  [
    'flows',
    { series: { type: 'sankey', data: [{ name: 'a' }], links: [{ source: 'a', target: 'b', value: 5 }] } },
    { columns: ['', '', ''], rows: [['a', 'b', 5]] },
  ],
])('[K14] the numbers of %s are a table', (_, option, expected) => expect(tableOfOption(option)).toEqual(expected))

test.each([
  ['a tree', { series: [{ type: 'tree', data: [{ name: 'a', children: [] }] }] }],
  ['nothing', {}],
  ['no data', { xAxis: days, series: [{ type: 'line' }] }],
  ['nonsense', { series: 7, dataset: 'x', xAxis: [null] }],
])('[K14] %s has no table', (_, option) => expect(tableOfOption(option)).toBeUndefined())
