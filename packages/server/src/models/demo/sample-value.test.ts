import { expect, test } from 'vitest'
import { z } from 'zod'
import type { JsonObject } from '../../ports.ts'
import { sampleValue } from './sample-value.ts'

const tree = {
  type: 'object',
  properties: { left: { $ref: '#' }, right: { $ref: '#' }, children: { type: 'array', items: { $ref: '#' } } },
  required: ['left'],
}

test.each<[string, JsonObject]>([
  ['an object', { type: 'object', properties: { a: { type: 'string' }, b: { type: 'boolean' } }, required: ['a'] }],
  ['an enumeration', { type: 'string', enum: ['red', 'green'] }],
  ['a constant', { const: 7 }],
  ['lengths', { type: 'string', minLength: 9, maxLength: 12 }],
  ['a short string', { type: 'string', maxLength: 2 }],
  ['bounds', { type: 'number', exclusiveMinimum: 4 }],
  ['a negative maximum', { type: 'integer', maximum: -5 }],
  ['a list', { type: 'array', items: { type: 'integer' }, minItems: 3 }],
  ['a format', { type: 'object', properties: { at: { type: 'string', format: 'date-time' } }, required: ['at'] }],
  ['alternatives', { anyOf: [{ type: 'null' }, { type: 'string' }] }],
  [
    'a definition',
    {
      type: 'object',
      properties: { x: { $ref: '#/$defs/point' } },
      required: ['x'],
      $defs: { point: { type: 'number' } },
    },
  ],
  [
    'a union of parts',
    {
      allOf: [
        { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
        { type: 'object', properties: { b: { type: 'number' } }, required: ['b'] },
      ],
    },
  ],
])('the sample of %s fits its schema', (_name, schema) => {
  expect(z.fromJSONSchema(schema).safeParse(sampleValue(schema))).toMatchObject({ success: true })
})

test('a schema that contains itself comes to an end', () => {
  expect(JSON.stringify(sampleValue(tree)).length).toBeLessThan(2000)
})
