import fc from 'fast-check'
import { expect, test } from 'vitest'
import { piecesOf } from './visible-text.ts'

test.each([
  ['a direction', 'rm \u202Etxt.', ['rm ', 'U+202E', 'txt.']],
  ['a zero width', 'a\u200Bb', ['a', 'U+200B', 'b']],
  ['a carriage return that would overwrite the line', 'safe\rrm', ['safe', 'U+000D', 'rm']],
  ['a tag', `x${String.fromCodePoint(0xe0041)}`, ['x', 'U+E0041']],
  ['a space that does not break', 'a\u00A0b', ['a', 'U+00A0', 'b']],
  ['nothing hidden', '中文　a\n\tb 👍️', ['中文　a\n\tb 👍️']],
])('[G5.2] what is hidden is shown: %s', (_, text, shown) => {
  expect(piecesOf(text).map((piece) => piece.text)).toEqual(shown)
})

test('[G5.2] nothing of a text is left out', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const back = piecesOf(text).map((piece) =>
        piece.isHidden ? String.fromCodePoint(Number.parseInt(piece.text.slice(2), 16)) : piece.text,
      )
      expect(back.join('')).toBe(text)
    }),
  )
})
