import fc from 'fast-check'
import { expect, test } from 'vitest'
import { between } from './file-change.ts'

const lines = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => `${from + at}\n`).join('')

test.each([
  ['in the middle', lines(1, 20), lines(1, 20).replace('10\n', 'ten\n'), { line: 7, before: lines(7, 13) }],
  ['at the beginning', lines(1, 9), `0\n${lines(1, 9)}`, { line: 1, before: lines(1, 3) }],
  ['at the end, without a last line end', 'a\nb', 'a\nb\n', { line: 1, before: 'a\nb' }],
  ['of everything', 'a', 'b', { line: 1, before: 'a' }],
  ['of a file that is not there', null, 'a', { line: 1, before: null }],
])('[W11.9.4] a change %s is shown with three lines around it', (...[, before, after, shown]) => {
  expect(between(before, after)).toMatchObject(shown)
})

test('[W11.9.4] what is left out is the same in both texts', () => {
  const text = fc.array(fc.constantFrom('a\n', 'b\n', '\n', 'c'), { maxLength: 30 }).map((parts) => parts.join(''))
  fc.assert(
    fc.property(text, text, (before, after) => {
      const change = between(before, after)
      const head = (before.match(/[^\n]*\n/g) ?? []).slice(0, change.line - 1).join('')
      const rest = before.slice(head.length + change.before!.length)
      expect([head + change.before + rest, head + change.after + rest]).toEqual([before, after])
    }),
  )
})
