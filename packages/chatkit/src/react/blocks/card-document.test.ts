import { describe, expect, test } from 'vitest'
import { LIGHT_LOOK } from './card-look.ts'
import { cardDocument, clampHeight, hasScript, readCardMessage } from './card-document.ts'

describe('[K16.5] cards', () => {
  test('[K16.5] the policy stands in front of everything the card brings and allows no network', () => {
    const document = cardDocument(
      '<meta http-equiv="Content-Security-Policy" content="default-src *"><p>x</p>',
      [],
      LIGHT_LOOK,
    )
    expect(document.indexOf("default-src 'none'")).toBeLessThan(document.indexOf('default-src *'))
    expect(document.indexOf("default-src 'none'")).toBeGreaterThan(0)
    expect(document).toMatch(/default-src 'none'; .*connect-src 'none'/)
  })

  test('[K16.5] listed origins are allowed, anything that is no origin is left out', () => {
    const origins = ['https://cdn.example', `'unsafe-eval'; script-src *`, 'https://x.example/path?"']
    const document = cardDocument('', origins, LIGHT_LOOK)
    expect(document).toContain('connect-src https://cdn.example;')
    expect(document).not.toContain('unsafe-eval')
    expect(document).not.toContain('x.example')
  })

  test('[K16.5] the look stands before what the author wrote, in a layer, so that whatever the author wrote wins', () => {
    const document = cardDocument('<style>h2{color:red}</style>', [], LIGHT_LOOK)
    const look = document.indexOf(LIGHT_LOOK)
    expect(look).toBeGreaterThan(0)
    expect(look).toBeLessThan(document.indexOf('h2{color:red}'))
    const rules = [...document.matchAll(/<style>([\s\S]*?)<\/style>/g)].map(([, css]) => css!)
    expect(rules.slice(0, -1).every((css) => css.startsWith('@layer ck-base{'))).toBe(true)
  })

  test('[K16.5] scripts and event attributes are told from plain HTML', () => {
    const cards = ['<p>x</p>', '<SCRIPT src=x>', '<p onclick="x()">', '<p>on = off</p>', '<img\nonload=x>']
    expect(cards.map(hasScript)).toEqual([false, true, true, false, true])
  })

  test.each([
    [{ type: 'ck:ready', more: 1 }, { type: 'ck:ready' }],
    [
      { type: 'ck:size', height: 5 },
      { type: 'ck:size', height: 80 },
    ],
    [
      { type: 'ck:size', height: 99_999 },
      { type: 'ck:size', height: 1200 },
    ],
    [
      { type: 'ck:open', url: 'https://a.b' },
      { type: 'ck:open', url: 'https://a.b' },
    ],
    [
      { type: 'ck:bridge', action: 'map', payload: 1, extra: 2 },
      { type: 'ck:bridge', action: 'map', payload: 1 },
    ],
    [{ type: 'ck:size', height: Number.NaN }, undefined],
    [{ type: 'ck:bridge', action: 7 }, undefined],
    [{ type: 'other' }, undefined],
    ['text', undefined],
    [null, undefined],
  ])('[K16.5] a message %j is read as %j', (data, expected) => expect(readCardMessage(data)).toEqual(expected))

  test('[K16.5] heights are between 80 and 1200', () =>
    expect([0, 500, 5000].map(clampHeight)).toEqual([80, 500, 1200]))
})
