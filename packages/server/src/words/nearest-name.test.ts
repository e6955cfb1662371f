import { expect, test } from 'vitest'
import { nearestName } from './nearest-name.ts'

const known = ['decision', 'edited_arguments', 'limit', 'offset', 'q']

test.each([
  ['arguments', 'edited_arguments'],
  ['edited_argument', 'edited_arguments'],
  ['editedArguments', 'edited_arguments'],
  ['EDITED-ARGUMENTS', 'edited_arguments'],
  ['edit_arguments', 'edited_arguments'],
  ['desicion', 'decision'],
  ['limt', 'limit'],
  ['offest', 'offset'],
  ['zebra', undefined],
  ['', undefined],
  ['x'.repeat(10_000_000), undefined],
])('%.30s was meant to be %s', (name, meant) => {
  expect(nearestName(name, known)).toBe(meant)
})
