import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonValue } from '../ports.ts'
import { createPolicy, digestOf, type JudgedTool, type PolicyRule } from './policy.ts'

const tool = (given: Partial<JudgedTool> = {}): JudgedTool => ({
  name: 'Bash',
  risk: 'medium',
  requiresConfirmation: false,
  ...given,
})

const decide = (given: Partial<JudgedTool>, input: JsonValue = {}, rules: PolicyRule[] = []) =>
  createPolicy({ rules, headless: 'fail' })(tool(given), input, false).type

describe('without rules', () => {
  test.each([
    ['low', false, 'allow'],
    ['medium', false, 'allow'],
    ['high', false, 'ask'],
    ['low', true, 'ask'],
  ] as const)('risk %s, wants to be confirmed %s: %s', (risk, requiresConfirmation, type) => {
    expect(decide({ risk, requiresConfirmation })).toBe(type)
  })
})

describe('rules', () => {
  const rules: PolicyRule[] = [
    { tool: 'Bash', arguments: { command: 'git *' }, decision: 'allow' },
    { tool: 'Bash', arguments: { command: '*rm -rf*' }, decision: 'deny' },
    { tool: 'mcp__*', decision: 'ask' },
    { tool: 'Write', arguments: { file_path: '*.env', content: '*' }, decision: 'deny' },
  ]

  test.each([
    ['Bash', { command: 'git status' }, 'allow'],
    ['Bash', { command: 'sudo rm -rf /' }, 'deny'],
    ['Bash', { command: 'gitk' }, 'ask'],
    ['mcp__files__read', {}, 'ask'],
    ['Write', { file_path: 'a/.env', content: '' }, 'deny'],
    ['Write', { file_path: 'a/.env' }, 'ask'],
    ['Write', { file_path: ['.env'], content: '' }, 'ask'],
    ['Write', null, 'ask'],
  ])('%s %j: %s', (name, input, type) => {
    expect(decide({ name, risk: 'high' }, input as JsonValue, rules)).toBe(type)
  })

  test('the first that fits decides', () => {
    expect(decide({ risk: 'low' }, { command: 'git rm -rf' }, rules)).toBe('allow')
  })
})

describe('where nobody can be asked', () => {
  test.each([
    ['fail', 'ask'],
    ['deny', 'deny'],
    ['allow', 'allow'],
  ] as const)('headless: %s gives %s', (headless, type) => {
    expect(createPolicy({ rules: [], headless })(tool({ risk: 'high' }), {}, true).type).toBe(type)
  })
})

test('it fails closed', () => {
  const rules = [{ tool: undefined as unknown as string, decision: 'allow' as const }]
  expect(decide({}, {}, rules)).toBe('deny')
})

test('a digest stands for a tool and its arguments, whatever their order', () => {
  const json = fc.jsonValue() as fc.Arbitrary<JsonValue>
  fc.assert(
    fc.property(fc.dictionary(fc.string(), json), (input) => {
      const turned = Object.fromEntries(Object.entries(input).reverse())
      expect(digestOf('Bash', turned)).toBe(digestOf('Bash', input))
      expect(digestOf('Other', input)).not.toBe(digestOf('Bash', input))
      expect(digestOf('Bash', { ...input, more: 1 })).not.toBe(digestOf('Bash', { ...input, more: 2 }))
    }),
  )
})
