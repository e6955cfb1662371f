import { expect, test } from 'vitest'
import { withoutSteps } from './without-steps.ts'

const steps = [{ title: 'Measure' }, { title: 'Cut the wood' }]

test.each([
  ['1. Measure\n2. Cut the wood', ''],
  ['- [ ] **Measure**\n* Cut the wood.', ''],
  ['To build a shelf:\n\n1. Measure\n2. Cut the wood\n\nIt takes an hour.', 'To build a shelf:\n\nIt takes an hour.'],
  ['1. Measure twice, as wood is dear\n2. Cut the wood', '1. Measure twice, as wood is dear'],
  ['Measure', 'Measure'],
  ['', ''],
])('[K14] of the plan %j its steps leave %j', (plan, rest) => expect(withoutSteps(plan, steps)).toBe(rest))

test('[K14] Chinese items are told apart, too', () =>
  expect(withoutSteps('1、先看一看\n2、检查。', [{ title: '先看一看' }, { title: '检查' }])).toBe(''))
