import { expect, test } from 'vitest'
import { parseArguments } from './parse-arguments.ts'
import { isSpecialTool } from './special-tool.ts'

test.each([
  ['{"a":1}', { a: 1 }],
  ['{}', {}],
  ['[1]', { _raw: '[1]' }],
  ['null', { _raw: 'null' }],
  ['"text"', { _raw: '"text"' }],
  ['{"half', { _raw: '{"half' }],
  ['', { _raw: '' }],
])('[WR-11] arguments %s read as an object, the raw text where they are none', (text, value) => {
  expect(parseArguments(text)).toEqual(value)
})

test.each([
  ['Agent', 'Agent', true],
  ['fork:Agent', 'Agent', true],
  ['builtin:AskUserQuestion', 'AskUserQuestion', true],
  ['UserAgent', 'Agent', false],
  ['agent', 'Agent', false],
  ['Agent', 'AskUserQuestion', false],
] as const)('[WR-18] %s is the special tool %s: %s', (name, special, is) => {
  expect(isSpecialTool(name, special)).toBe(is)
})
