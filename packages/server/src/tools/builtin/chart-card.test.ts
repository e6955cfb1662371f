import { expect, test } from 'vitest'
import { chartCard } from './chart-card.ts'

const small = { xAxis: { data: ['a'] }, yAxis: {}, series: [{ type: 'bar', data: [1] }] }

test('[O13.2] after a chart without end nothing more of its card is drawn, so that others need not wait for all of it', async () => {
  const nodes = Array.from({ length: 2_000 }, (_, index) => ({ name: `${index}` }))
  const links = nodes.map((_, index) => ({ source: index, target: (index * 7) % nodes.length }))
  const endless = {
    series: [{ type: 'graph', layout: 'force', force: { layoutAnimation: false }, data: nodes, links }],
  }
  const { resourceHTML } = await chartCard([small, endless, small], new AbortController().signal)
  expect((resourceHTML as string).match(/<svg/g)).toHaveLength(3)
  expect((resourceHTML as string).match(/<p>—<\/p>/g)).toHaveLength(2)
}, 300_000)

test('[O12.2] a card that nobody waits for any more is not drawn', async () => {
  const { resourceHTML } = await chartCard([small], AbortSignal.abort())
  expect(resourceHTML).not.toContain('<svg')
})
