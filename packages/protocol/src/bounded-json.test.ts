import fc from 'fast-check'
import { expect, test } from 'vitest'
import { applyPatch } from './apply-patch.ts'
import { isDeeper, isTextDeeper, MAX_JSON_DEPTH, parseBoundedJson } from './bounded-json.ts'
import { metaOf, withoutMeta } from './meta.ts'
import { parseArguments } from './parse-arguments.ts'
import type { TurnProjection } from './turn.ts'

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

test('as deep as allowed is read, one deeper is not', () => {
  expect(parseBoundedJson(nested(MAX_JSON_DEPTH))).toEqual(JSON.parse(nested(MAX_JSON_DEPTH)))
  expect(parseBoundedJson(nested(MAX_JSON_DEPTH + 1))).toBeUndefined()
  expect(isDeeper(JSON.parse(nested(MAX_JSON_DEPTH)))).toBe(false)
  expect(isDeeper(JSON.parse(nested(MAX_JSON_DEPTH + 1)))).toBe(true)
})

test('a million levels cost no stack, as text and as a value', () => {
  expect(isTextDeeper(nested(1_000_000))).toBe(true)
  expect(isDeeper(JSON.parse(nested(1_000_000)))).toBe(true)
})

test('brackets inside strings are text', () => {
  const value = { [`{"[${'['.repeat(500)}`]: `\\"${'{'.repeat(500)}` }
  expect(parseBoundedJson(JSON.stringify(value))).toEqual(value)
})

test('text and value agree about the depth of any JSON, and reading changes nothing', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 8 }), fc.nat(10), (value, depth) => {
      const text = JSON.stringify(value)
      expect(isTextDeeper(text, depth)).toBe(isDeeper(JSON.parse(text), depth))
      expect(parseBoundedJson(text, 10)).toEqual(isDeeper(value, 10) ? undefined : JSON.parse(text))
    }),
  )
})

test('readers of what a model or a tool wrote hand deep text on as text', () => {
  const text = '{"_meta":'.repeat(6_000) + '1' + '}'.repeat(6_000)
  expect(parseArguments(text)).toEqual({ _raw: text })
  expect(metaOf(text)).toEqual({ bridge: null, ui: null, rejected: [] })
  expect(withoutMeta(text)).toBe(text)
  const turn = applyPatch({ tool_calls: [], blocks: [] } as unknown as TurnProjection, {
    sequence: 1,
    patch_type: 'add_tool_call',
    data: { id: 'tc_1', tool_name: 'Bash', display_name: 'Bash', arguments: text, status: 'pending' },
  })
  expect(() => JSON.stringify(turn)).not.toThrow()
})
