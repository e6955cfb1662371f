import {
  commandSchemas,
  confirmationDecisionSchema,
  createSessionSchema,
  handshakeSchema,
  restChatSchema,
} from '@parley/protocol/schemas'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { parse } from './parse.ts'
import { unknownFields } from './unknown-fields.ts'

const answer = { tool_call_id: 'tc', selections: { '0': [0] }, custom: { '1': 'x' } }
const parts = [
  { type: 'text', text: 'a' },
  { type: 'image_url', image_url: { url: 'data:,' } },
]

/** Payloads of others, with everything in them that can hold a field. */
const payloads: [string, z.ZodType, object][] = [
  ['handshake', handshakeSchema, { token: 't', client: { name: 'n', version: '1' } }],
  ['session:subscribe', commandSchemas['session:subscribe'], { session_id: 's', since: 1 }],
  [
    'chat:send',
    commandSchemas['chat:send'],
    {
      session_id: 's',
      message: parts,
      askuser_answer: answer,
      runtime_env: { A: 'b' },
      output_schema: { type: 'object', properties: { a: { type: 'string' } } },
      whatif: { from_step: 1, quotes: [{ entry_id: 'e', text: 't' }] },
    },
  ],
  ['chat over REST', restChatSchema, { message: parts, askuser_answer: answer }],
  ['a new session', createSessionSchema, { env: { A: 'b' }, disable_tools: ['Bash'] }],
]

describe.each(payloads)('%s', (_, schema, payload) => {
  test('as it is meant to be names no field', () => {
    expect([...unknownFields(schema, payload)]).toEqual([])
  })

  test('names exactly what its reader drops, wherever that stands', () => {
    const places = objectsIn(payload)
    const name = fc.string({ unit: fc.constantFrom('a', '_', '0', ...'É名.') }).map((text) => `x_${text}`)
    fc.assert(
      fc.property(fc.nat(places.length - 1), name, fc.jsonValue({ maxDepth: 2 }), (place, field, value) => {
        const given = structuredClone(payload)
        const where = places[place]!
        if (isOpen(where)) at(given, where)['x_open'] = 'x'
        else at(given, where)[field] = value
        const named = [...unknownFields(schema, given)].map(({ path }) => path)
        expect(named).toEqual(isOpen(where) ? [] : [[...where, field]])
        const read = schema.parse(given)
        for (const path of named) expect(at(read, path.slice(0, -1))).not.toHaveProperty([path.at(-1)!])
      }),
    )
  })
})

test.each([
  {
    ...{ what: 'confirmation', schema: confirmationDecisionSchema, payload: { decision: 'approve' } },
    ...{ field: 'arguments', meant: 'edited_arguments' },
  },
  {
    ...{ what: 'chat:append', schema: commandSchemas['chat:append'], payload: { session_id: 's', message: 'a' } },
    ...{ field: 'mesage', meant: 'message' },
  },
])('in a $what of our own it is refused, with the field that was meant', ({ schema, payload, field, meant }) => {
  const ignored: string[] = []
  const reading = () => parse(schema, { ...payload, [field]: {} }, (names) => ignored.push(...names))
  expect(reading).toThrow(`${field}: There is no such field; did you mean ${meant}?`)
  expect(ignored).toEqual([])
  expect(() => parse(schema, { ...payload, zebra: 1 }, () => {})).toThrow(/^zebra: .*known are/)
})

test.each(['edited_argument', 'arguments', 'editedArguments'])(
  'an answer with %s is refused: consent to what was not meant is no consent',
  (field) => {
    const sent = { session_id: 's', message: '', askuser_answer: { ...answer, [field]: { command: 'ls' } } }
    expect(() => parse(commandSchemas['chat:send'], sent, () => {})).toThrow('did you mean edited_arguments?')
  },
)

test('a thousand fields are named by the first twenty, long ones by their beginning', () => {
  const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`x${'y'.repeat(500)}${index}`, 1]))
  const named: string[] = []
  parse(createSessionSchema, many, (names) => named.push(...names))
  expect(named).toHaveLength(20)
  expect(Math.max(...named.map(({ length }) => length))).toBe(101)
  expect(() => parse(z.strictObject({}), many, () => {})).toThrow(/^.{0,4000}$/)
})

test('a payload that is refused for something else still names what was ignored', () => {
  const named: string[] = []
  const sent = { session_id: 's', mesage: 'hi' }
  expect(() => parse(commandSchemas['chat:send'], sent, (names) => named.push(...names))).toThrow(/^message: /)
  expect(named).toEqual(['mesage'])
})

type Path = readonly string[]

/** Environments, schemas and answers hold whatever their writer wants. */
function isOpen(path: Path): boolean {
  return path.some((name) => ['env', 'runtime_env', 'output_schema', 'selections', 'custom'].includes(name))
}

/** Where fields could be added; not into lists by number, nor where only numbers go. */
function objectsIn(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return []
  const inside = Object.entries(value).flatMap(([name, item]) => objectsIn(item, [...path, name]))
  return Array.isArray(value) || path.at(-1) === 'selections' ? inside : [path, ...inside]
}

function at(value: unknown, path: Path): Record<string, unknown> {
  return path.reduce((inner, name) => (inner as Record<string, unknown>)[name], value) as Record<string, unknown>
}
