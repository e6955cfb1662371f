import fc from 'fast-check'
import { expect, test } from 'vitest'
import { diffOf, type DiffRow } from './diff-rows.ts'

const short = ({ kind, old, fresh, parts }: DiffRow) =>
  `${old ?? '-'} ${fresh ?? '-'} ${{ same: '=', added: '+', removed: '-' }[kind]} ${parts.map(({ text, isChanged }) => (isChanged ? `[${text}]` : text)).join('')}`

test('[G5.2] a change is shown line by line, with its numbers and the words that differ', () => {
  const { rows, added, removed } = diffOf('a\n  size 10m;\n}\n', 'a\n  size 64m;\n  more;\n}\n', 18)
  expect(rows.map(short)).toEqual([
    '18 18 = a',
    '19 - -   size [10m];',
    '- 19 +   size [64m];',
    '- 20 +   more;',
    '20 21 = }',
  ])
  expect([added, removed]).toEqual([2, 1])
})

test('[G5.2] a new file is all added; a text that lost its last line end says so', () => {
  expect(diffOf(null, 'a\nb\n').rows.map(short)).toEqual(['- 1 + a', '- 2 + b'])
  expect(diffOf('a\n', 'a').rows.map(({ kind, isOpen }) => [kind, isOpen])).toEqual([
    ['removed', false],
    ['added', true],
  ])
})

test('[G5.2] both texts can be read off the rows, whatever they are', () => {
  const text = fc
    .array(fc.constantFrom('a\n', 'b b\n', '\n', 'c', 'd e f'), { maxLength: 20 })
    .map((all) => all.join(''))
  fc.assert(
    fc.property(text, text, (before, after) => {
      const { rows } = diffOf(before, after)
      const side = (other: DiffRow['kind']) =>
        rows
          .filter(({ kind }) => kind !== other)
          .map(({ parts, isOpen }) => parts.map((part) => part.text).join('') + (isOpen ? '' : '\n'))
          .join('')
      expect([side('added'), side('removed')]).toEqual([before, after])
    }),
  )
})
