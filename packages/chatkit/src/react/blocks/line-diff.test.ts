import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type DiffLine, diffLines, parseDiff } from './line-diff.ts'

const told = (lines: readonly DiffLine[]) => lines.map(({ sign, text }) => `${sign}${text}`)
const sideOf = (lines: readonly DiffLine[], left: '-' | '+') =>
  lines.filter(({ sign }) => sign === ' ' || sign === left).map(({ text }) => text)

test('[K14] as few lines change as can be, and each is numbered where it stands', () => {
  const lines = diffLines('a\nb\nc\nd\n', 'a\nx\nc\nd\ne\n', 18)
  expect(told(lines)).toEqual([' a', '-b', '+x', ' c', ' d', '+e'])
  expect(lines.map(({ before, after }) => [before, after])).toEqual([
    [18, 18],
    [19, undefined],
    [undefined, 19],
    [20, 20],
    [21, 21],
    [undefined, 22],
  ])
})

test('[K14] a line end that comes or goes is a change', () => {
  expect(told(diffLines('a', 'a\n'))).toEqual([' a', '+'])
  expect(told(diffLines('a\n', 'a'))).toEqual([' a', '-'])
  expect(told(diffLines('', 'a\n'))).toEqual(['+a'])
})

test('[K14] either text can be read back from any difference', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 })
  fc.assert(
    fc.property(text, text, (a, b) => {
      const lines = diffLines(a.map((line) => `${line}\n`).join(''), b.map((line) => `${line}\n`).join(''))
      expect([sideOf(lines, '-'), sideOf(lines, '+')]).toEqual([a, b])
    }),
  )
})

test('[K14] texts too long to compare are told as gone and new, at once', () => {
  const many = (name: string) => Array.from({ length: 5000 }, (_, i) => `${name}${i}\n`).join('')
  const lines = diffLines(`same\n${many('a')}`, `same\n${many('b')}`)
  expect(lines).toHaveLength(10_001)
})

test('[K14] what `diff -u` writes is read with its numbers', () => {
  const diff = '--- a/x\n+++ b/x\n@@ -18,3 +18,4 @@ location\n keep\n-old\n+new\n+more\n keep\n@@ -40 +41 @@\n-x\n+y\n'
  expect(parseDiff(diff)).toEqual([
    { sign: ' ', text: 'keep', before: 18, after: 18 },
    { sign: '-', text: 'old', before: 19 },
    { sign: '+', text: 'new', after: 19 },
    { sign: '+', text: 'more', after: 20 },
    { sign: ' ', text: 'keep', before: 20, after: 21 },
    { sign: '-', text: 'x', before: 40 },
    { sign: '+', text: 'y', after: 41 },
  ])
})
