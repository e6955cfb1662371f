import { describe, expect, test } from 'vitest'
import { safeOption } from './safe-option.ts'

const line = { type: 'line', data: [1, 2] }

describe('[K16.4] [O13.3.5] options that a model wrote', () => {
  test.each([
    ['a picture as a symbol', { series: [{ ...line, symbol: 'image://https://evil.example/x.png' }] }],
    ['a picture as a symbol, in disguise', { series: [{ ...line, symbol: ' IMAGE://evil.example/x.png' }] }],
    ['a picture as a background', { backgroundColor: { image: 'https://evil.example/x.png' }, series: [line] }],
    [
      'a picture in rich text',
      { series: [{ ...line, label: { rich: { a: { backgroundColor: { image: '//evil.example' } } } } }] },
    ],
    ['a colour that is an address', { series: [{ ...line, lineStyle: { color: 'URL (https://evil.example/#a)' } }] }],
    ['a link', { title: { text: 'x', link: 'https://evil.example' }, series: [line] }],
    ['a drawn picture', { graphic: [{ type: 'image', style: { image: 'https://evil.example' } }], series: [line] }],
    ['styles of a tooltip', { tooltip: { extraCssText: 'background: url(//evil.example)' }, series: [line] }],
    ['a tool with a picture', { toolbox: { feature: { my: { icon: 'image://evil.example' } } }, series: [line] }],
    ['a symbol of one point', { series: [{ ...line, data: [{ value: 1, symbol: 'image://evil.example' }] }] }],
  ])('[K16.4] %s is taken out', (_, option) => {
    const safe = JSON.stringify(safeOption(option))
    expect(safe).toContain('"line"')
    expect(safe).not.toContain('evil.example')
  })

  test('[K16.4] nothing is done a billion times because an option says so', () => {
    const option = {
      radar: { splitNumber: 1e9 },
      series: [
        { type: 'gauge', splitNumber: 7, axisTick: { splitNumber: 1e9 } },
        { type: 'sankey', layoutIterations: 1e9 },
      ],
    }
    expect(safeOption(option)).toEqual({
      radar: { splitNumber: 50 },
      series: [
        { type: 'gauge', splitNumber: 7, axisTick: { splitNumber: 50 } },
        { type: 'sankey', layoutIterations: 64 },
      ],
    })
    const calendar = (range: unknown) => safeOption({ calendar: { range }, series: [{ type: 'heatmap' }] })
    expect(calendar(['2025-01-01', '2026-12-31'])).toBeDefined()
    expect(calendar('2026')).toBeDefined()
    for (const range of [['0001-01-01', '9999-12-31'], ['x', 'y'], [1]]) expect(calendar(range)).toBeUndefined()
  })

  test('[K16.4] what only draws stays as it was', () => {
    const option = {
      title: { text: 'See https://example.org or image://x', subtext: 'url(1)' },
      dataset: {
        source: [
          ['day', 'https://example.org'],
          ['Mon', 1],
        ],
      },
      xAxis: { type: 'category', data: ['https://example.org', 'data:1'] },
      axisPointer: { link: [{ xAxisIndex: 'all' }] },
      series: [
        { ...line, symbol: 'path://M0,0L1,1', itemStyle: { color: '#fff' }, name: 'data:1' },
        { type: 'sankey', links: [{ source: 'a', target: 'b', value: 1 }] },
      ],
    }
    expect(safeOption(option)).toEqual(option)
  })

  test('[K16.4] it cannot reach the prototypes of the page', () => {
    const option = JSON.parse(
      '{ "__proto__": { "polluted": 1 }, "series": { "type": "pie", "constructor": { "prototype": 1 } } }',
    )
    const safe = safeOption(option)!
    expect(Object.getPrototypeOf(safe)).toBe(Object.prototype)
    expect(safe).toEqual({ series: [{ type: 'pie' }] })
    expect(({} as { polluted?: number }).polluted).toBeUndefined()
  })

  test.each([
    ['no series', {}],
    ['only types that are not known', { series: [{ type: 'custom', renderItem: 'x' }] }],
    ['more values than can be drawn', { series: [{ type: 'line', data: Array.from({ length: 60_000 }, () => 1) }] }],
  ])('[K14] with %s there is nothing to draw', (_, option) => expect(safeOption(option)).toBeUndefined())

  test('[K14] an option with a base is drawn by its base', () => {
    expect(safeOption({ baseOption: { series: [line] }, media: [] })).toEqual({ series: [line] })
  })
})
