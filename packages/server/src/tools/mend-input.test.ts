import { expect, test } from 'vitest'
import { z } from 'zod'
import { defineTool } from './define-tool.ts'

const tool = defineTool({
  name: 'Mend',
  display_name: { zh: 'Mend', en: 'Mend' },
  description: '',
  provider: 'builtin',
  input: z.object({
    path: z.string(),
    limit: z.number().int().optional(),
    all: z.boolean().default(false),
    names: z.array(z.string()).optional(),
    steps: z.array(z.object({ title: z.string(), note: z.string().optional() })).optional(),
  }),
  run: async () => '',
})

test.each([
  ['null for what may be left out', { path: 'a', limit: null, names: null, all: null }, { path: 'a', all: false }],
  [
    'null further in',
    { path: 'a', steps: [{ title: 't', note: null }] },
    { path: 'a', all: false, steps: [{ title: 't' }] },
  ],
  ['one instead of a list', { path: 'a', names: 'x' }, { path: 'a', all: false, names: ['x'] }],
  ['numbers and truth as text', { path: 'a', limit: '10', all: 'true' }, { path: 'a', limit: 10, all: true }],
])('%s is put right', async (_, given, value) => {
  expect(await tool.check(given)).toEqual({ ok: true, value })
})

test.each([
  ['null for what is needed', { path: null }],
  ['a list instead of one', { path: ['a'] }],
  ['words instead of a number', { path: 'a', limit: 'ten' }],
  ['nothing in a list', { path: 'a', names: [null] }],
  ['no object', null],
])('%s is refused', async (_, given) => {
  expect(await tool.check(given)).toMatchObject({ ok: false })
})

test('what was given is left as it is', async () => {
  const given = { path: 'a', limit: null }
  await tool.check(given)
  expect(given).toEqual({ path: 'a', limit: null })
})
