import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonValue } from '../ports.ts'
import { type Circumstances, createPolicy, callDigest, type JudgedTool, type PolicyRule } from './policy.ts'

const tool = (given: Partial<JudgedTool> = {}): JudgedTool => ({
  name: 'Bash',
  risk: 'medium',
  requiresConfirmation: false,
  ...given,
})

const here: Circumstances = { isHeadless: false, isNamed: (url) => url.startsWith('https://named.test/') }

const decide = (given: Partial<JudgedTool>, input: JsonValue = {}, rules: PolicyRule[] = []) =>
  createPolicy({ rules, headless: 'fail' })(tool(given), input, here).type

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

describe("an agent's own rules", () => {
  const rules: PolicyRule[] = [
    { tool: 'Write', arguments: { file_path: 'notes/*' }, decision: 'allow' },
    { tool: 'Write', decision: 'deny' },
    { tool: 'Bash', decision: 'ask' },
  ]
  const own: PolicyRule[] = [
    { tool: 'Bash', arguments: { command: 'git *' }, decision: 'allow' },
    { tool: 'Write', arguments: { file_path: 'notes/secret' }, decision: 'deny' },
    { tool: 'Write', decision: 'allow' },
    { tool: 'Read', decision: 'ask' },
  ]

  test.each([
    ['go before the others', 'Bash', { command: 'git status' }, 'allow'],
    ['leave the rest to the others', 'Bash', { command: 'ls' }, 'ask'],
    ['allow nothing that the others deny', 'Write', { file_path: 'other' }, 'deny'],
    ['may deny what the others allow', 'Write', { file_path: 'notes/secret' }, 'deny'],
    ['may ask about what runs by itself', 'Read', {}, 'ask'],
  ])('%s', (...given) => {
    const [, name, input, type] = given
    expect(createPolicy({ rules, own, headless: 'fail' })(tool({ name }), input, here).type).toBe(type)
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

test.each<[string, Partial<JudgedTool>, JsonValue, object]>([
  ['a rule', { name: 'mcp__x' }, {}, { by: 'rule', number: 2, rule: { tool: 'mcp__*', decision: 'ask' }, host: null }],
  ['one of the agent', { name: 'Read' }, {}, { by: 'agent_rule', number: 1 }],
  ['its risk', { risk: 'high' }, {}, { by: 'risk', number: null, rule: null, host: null }],
  ['the tool itself', { requiresConfirmation: true }, {}, { by: 'tool' }],
  ['a host', { reaches: () => 'https://a.test:8080/x' }, {}, { by: 'host', host: 'a.test:8080' }],
])('[W11.9.2] who is asked is told why: %s', (...[, given, input, why]) => {
  const rules: PolicyRule[] = [
    { tool: 'mcp__*', arguments: { never: 'x' }, decision: 'ask' },
    { tool: 'mcp__*', decision: 'ask' },
  ]
  const own: PolicyRule[] = [{ tool: 'Read', decision: 'ask' }]
  expect(createPolicy({ rules, own, headless: 'fail' })(tool(given), input, here)).toMatchObject({ type: 'ask', why })
})

describe('where nobody can be asked', () => {
  test.each([
    ['fail', 'ask'],
    ['deny', 'deny'],
    ['allow', 'allow'],
  ] as const)('headless: %s gives %s', (headless, type) => {
    expect(createPolicy({ rules: [], headless })(tool({ risk: 'high' }), {}, { ...here, isHeadless: true }).type).toBe(
      type,
    )
  })
})

describe('a tool that asks whatever host the model chooses', () => {
  const fetching = tool({ name: 'WebFetch', risk: 'low', reaches: (input) => (input as { url: string }).url })
  const strange = { url: 'https://strange.test/?q=secret' }

  test.each([
    ['https://named.test/any/path', 'allow'],
    ['https://strange.test/', 'ask'],
    ['no URL', 'ask'],
  ])('%s: %s', (url, type) => {
    expect(decide(fetching, { url })).toBe(type)
  })

  test.each(['allow', 'deny', 'ask'] as const)('a rule that says %s has the last word', (decision) => {
    const rules = [{ tool: 'WebFetch', arguments: { url: 'https://strange.test/*' }, decision }]
    expect(decide(fetching, strange, rules)).toBe(decision)
  })

  test.each([
    ['fail', 'deny'],
    ['deny', 'deny'],
    ['allow', 'allow'],
  ] as const)('headless: %s gives %s: a strange host ends no run', (headless, type) => {
    const verdict = createPolicy({ rules: [], headless })(fetching, strange, { ...here, isHeadless: true })
    expect(verdict.type).toBe(type)
    if (verdict.type === 'deny') expect(verdict.reason).toMatch(/^WebFetch may not ask strange\.test: no message/)
  })

  test('a rule that asks ends a headless run as any other', () => {
    const rules = [{ tool: 'WebFetch', decision: 'ask' as const }]
    const policy = createPolicy({ rules, headless: 'fail' })
    expect(policy(fetching, strange, { ...here, isHeadless: true }).type).toBe('ask')
  })
})

test.each<[string, Partial<JudgedTool>, PolicyRule[], Circumstances]>([
  ['a rule', {}, [{ tool: undefined as unknown as string, decision: 'allow' }], here],
  ['a tool', { reaches: (input) => (input as { url: string }).url.trim() }, [], here],
  ['who knows the names', { reaches: () => '' }, [], { isHeadless: false, isNamed: () => JSON.parse('{') as boolean }],
])('it fails closed when %s breaks', (...[, given, rules, circumstances]) => {
  expect(createPolicy({ rules, headless: 'allow' })(tool(given), {}, circumstances).type).toBe('deny')
})

test('a digest stands for a tool and its arguments, whatever their order', () => {
  const json = fc.jsonValue() as fc.Arbitrary<JsonValue>
  fc.assert(
    fc.property(fc.dictionary(fc.string(), json), (input) => {
      const turned = Object.fromEntries(Object.entries(input).reverse())
      expect(callDigest('Bash', turned)).toBe(callDigest('Bash', input))
      expect(callDigest('Other', input)).not.toBe(callDigest('Bash', input))
      expect(callDigest('Bash', { ...input, more: 1 })).not.toBe(callDigest('Bash', { ...input, more: 2 }))
    }),
  )
})
