import { expect, test } from 'vitest'
import { metaOf, withoutMeta } from './meta.ts'

const bridge = { action: 'map.highlight', payload: { cityIds: ['hangzhou'] } }
const ui = { resourceHTML: '<p>', resourceUri: null, target: 'inline', height: 320, title: null }

test('bridge and card are read together, from an object and from a string that holds one', () => {
  const result = { ok: true, _meta: { bridge, ui } }
  expect(metaOf(result)).toEqual({ bridge, ui, rejected: [] })
  expect(metaOf(` ${JSON.stringify(result)}`)).toEqual({ bridge, ui, rejected: [] })
})

test.each([['plain text'], ['{"half'], [null], [[1]], [{ ok: true }], [{ _meta: 'text' }]])(
  'a result %j without _meta has no parts and none is rejected',
  (result) => {
    expect(metaOf(result)).toEqual({ bridge: null, ui: null, rejected: [] })
    expect(withoutMeta(result)).toEqual(
      result !== null && typeof result === 'object' && '_meta' in result ? {} : result,
    )
  },
)

test.each([
  ['no action', { bridge: { payload: 1 } }, ['bridge']],
  ['both resources', { ui: { ...ui, resourceUri: 'https://x.example' } }, ['ui']],
  ['neither resource', { ui: { target: 'inline' } }, ['ui']],
  ['[WR-67] a table', { bridge: {}, ui: { type: 'table', columns: [], rows: [] } }, ['bridge', 'ui']],
])('a part with %s is rejected', (_, _meta, rejected) => {
  expect(metaOf({ _meta })).toEqual({ bridge: null, ui: null, rejected })
})

test('an unknown target reads as inline', () => {
  expect(metaOf({ _meta: { ui: { ...ui, target: 'hologram' } } }).ui?.target).toBe('inline')
})

test('the model gets the result without _meta', () => {
  expect(withoutMeta({ ok: true, _meta: { bridge } })).toEqual({ ok: true })
  expect(withoutMeta(JSON.stringify({ ok: true, _meta: { bridge } }))).toEqual({ ok: true })
})
