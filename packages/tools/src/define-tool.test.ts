import { expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { defineTool, isTool } from './define-tool.ts'
import { OWN_TOOL } from './tool.ts'

const plain = { name: 'plain', description: 'Does it.', input: z.object({}), run: () => 1 }

test('arguments have the types of a zod schema, as it gives them out', () => {
  const tool = defineTool({
    name: 'charge',
    description: 'Charges.',
    input: z.object({ amount: z.string().transform(Number), currency: z.enum(['EUR', 'CNY']).default('EUR') }),
    run(input) {
      expectTypeOf(input).toEqualTypeOf<{ amount: number; currency: 'EUR' | 'CNY' }>()
    },
  })
  // What the model is told is what goes in.
  expect(tool.input).toEqual({
    type: 'object',
    properties: { amount: { type: 'string' }, currency: { type: 'string', enum: ['EUR', 'CNY'], default: 'EUR' } },
    required: ['amount'],
  })
})

test('arguments have the types of a JSON Schema, without a word more', () => {
  const tool = defineTool({
    name: 'find',
    description: 'Finds.',
    input: {
      type: 'object',
      properties: {
        text: { type: 'string' },
        limit: { type: 'integer' },
        order: { enum: ['new', 'old'] },
        tags: { type: 'array', items: { type: 'string' } },
        place: {
          anyOf: [{ type: 'null' }, { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }],
        },
      },
      required: ['text', 'tags'],
    },
    run(input) {
      expectTypeOf(input.text).toEqualTypeOf<string>()
      expectTypeOf(input.limit).toEqualTypeOf<number | undefined>()
      expectTypeOf(input.order).toEqualTypeOf<'new' | 'old' | undefined>()
      expectTypeOf(input.tags).toEqualTypeOf<string[]>()
      expectTypeOf(input.place!).toExtend<null | { city: string }>()
      // @ts-expect-error there is no such argument
      void input.nothing
    },
  })
  expect(tool.input['required']).toEqual(['text', 'tags'])
})

test('what is left out has a default, and every copy of the package knows the value', () => {
  const tool = defineTool(plain)
  expect(tool).toMatchObject({
    display_name: { zh: 'plain', en: 'plain' },
    risk: 'medium',
    requiresConfirmation: false,
    readOnly: false,
    replay: 'never',
    timeoutMs: 120_000,
  })
  expect(isTool(tool)).toBe(true)
  expect(isTool({ ...tool })).toBe(true)
  for (const value of [null, undefined, 'x', {}, plain, { [OWN_TOOL]: 2 }]) expect(isTool(value)).toBe(false)
})

test.each([
  [{ name: 'not a name' }, 'defineTool("not a name"): name: has 1 to 64 letters'],
  [{ name: 'x'.repeat(65) }, 'name: has 1 to 64 letters'],
  [{ name: 'SubAgent_list' }, 'name: may not contain "agent" or "fork"'],
  [{ name: 'git_fork' }, 'name: may not contain'],
  [{ name: 7 }, 'defineTool(…): name: '],
  [{ description: '' }, 'description: '],
  [{ riks: 'high' }, 'riks'],
  [{ risk: 'hihg' }, 'risk: '],
  [{ replay: 'always' }, 'replay: '],
  [{ timeoutMs: 0 }, 'timeoutMs: '],
  [{ timeoutMs: 3_600_001 }, 'timeoutMs: '],
  [{ run: 'later' }, 'run: must be a function'],
  [{ input: undefined }, 'input: must be a schema'],
  [{ input: z.string() }, 'input: must be a schema of an object'],
  [{ input: { type: 'string' } }, 'input: must be a schema of an object'],
  [{ input: { safeParse: () => null, _def: {} } }, 'input: is a schema of zod 3; zod 4 is needed'],
  [{ input: z.object({ when: z.date() }) }, 'input: Date cannot be represented'],
])('%j is refused by name', (wrong, message) => {
  expect(() => defineTool({ ...plain, ...wrong } as unknown as typeof plain)).toThrow(message)
})
