import { expect, test } from 'vitest'
import { covers } from './covers.ts'

const path = (...spans: [number, number | null][]) => spans.map(([from, to]) => ({ from, to }))
const whole = path([0, null])
const branch = path([0, 1], [6, null])

test.each([
  ['the same one', branch, branch, true],
  ['one that was rewound', whole, branch, true],
  ['none of the first turns', whole, path([4, null]), true],
  ['the one it left', branch, whole, false],
  ['turns before those it has', branch, path([0, 3], [8, null]), false],
  ['a turn out of the middle', path([0, 1], [3, null]), path([0, 5]), false],
  ['what lies in spans side by side', path([0, 1], [2, 3], [4, null]), path([1, 9]), true],
  ['turns behind its end', path([0, 4]), path([2, null]), false],
])('a path and %s', (...[, known, other, isCovered]) => {
  expect(covers(known, other)).toBe(isCovered)
})
