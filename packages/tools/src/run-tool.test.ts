import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { defineTool } from './define-tool.ts'
import { runTool } from './run-tool.ts'
import type { ToolContext } from './tool.ts'

const tool = (run: (input: object, context: ToolContext) => unknown, more: { timeoutMs?: number } = {}) =>
  defineTool({ name: 'it', description: 'Does it.', input: z.object({}), run, ...more })

test('the arguments are checked, transformed and given to run, with a context', async () => {
  const add = defineTool({
    name: 'add',
    description: 'Adds.',
    input: z.object({ a: z.number(), b: z.string().transform(Number).default(1) }),
    run: ({ a, b }, { subject, attempt, signal }) => ({ sum: a + b, subject, attempt, aborted: signal.aborted }),
  })
  expect(await runTool(add, { a: 1, b: '2' }, { subject: 'you', attempt: 2 })).toEqual({
    status: 'done',
    result: { sum: 3, subject: 'you', attempt: 2, aborted: false },
    settled: true,
  })
  expect(await runTool(add, { a: 'x' })).toEqual({
    status: 'error',
    result: 'add was called with arguments that do not fit. a: Invalid input: expected number, received string',
    settled: true,
  })
})

test('a JSON Schema is checked too, and what it says of defaults is not filled in', async () => {
  const look = defineTool({
    name: 'look',
    description: 'Looks.',
    input: { type: 'object', properties: { n: { type: 'integer', default: 7 } }, additionalProperties: false },
    run: (input) => input,
  })
  expect(await runTool(look, {})).toMatchObject({ status: 'done', result: {} })
  expect(await runTool(look, { n: 'x' })).toMatchObject({ status: 'error', result: expect.stringContaining('n: ') })
  expect(await runTool(look, { m: 1 })).toMatchObject({ status: 'error' })
})

test('an asynchronous check is awaited', async () => {
  const input = z.object({ id: z.string().refine(async (id) => delay(1, id === 'mine'), 'is not yours') })
  const mine = defineTool({ name: 'mine', description: 'd', input, run: ({ id }) => id })
  expect(await runTool(mine, { id: 'mine' })).toMatchObject({ status: 'done', result: 'mine' })
  expect(await runTool(mine, { id: 'theirs' })).toMatchObject({ result: expect.stringContaining('id: is not yours') })
})

const circle: { self?: unknown } = {}
circle.self = circle

const GIVEN: [string, () => unknown, object][] = [
  ['undefined', () => undefined, { status: 'done', result: null }],
  ['a date', () => new Date(0), { status: 'done', result: '1970-01-01T00:00:00.000Z' }],
  ['a circle', () => circle, { status: 'error', result: expect.stringContaining('no JSON: Converting circular') }],
  ['a BigInt', () => 1n, { status: 'error', result: expect.stringContaining('BigInt') }],
  ['a function', () => () => 1, { status: 'error', result: 'it ran, but its result is no JSON: it is a function.' }],
  [
    'too much',
    () => 'x'.repeat(200_000),
    { status: 'done', result: expect.stringContaining('100000 characters left out') },
  ],
  ['a throw', () => Promise.reject(new Error('closed')), { status: 'error', result: 'closed' }],
  ['a throw of text', () => Promise.reject('closed' as never), { status: 'error', result: 'closed' }],
  [
    'a throw of nothing',
    () => Promise.reject(new Error('')),
    { status: 'error', result: 'it failed without saying why.' },
  ],
  ['a throw that is no text', () => Promise.reject(Object.create(null) as Error), { status: 'error' }],
  ['a long throw', () => Promise.reject(new Error('x'.repeat(1e6))), { status: 'error', result: 'x'.repeat(10_000) }],
]

test.each(GIVEN)('%s is what the model reads', async (_what, run, expected) => {
  expect(await runTool(tool(run), {})).toMatchObject({ ...expected, settled: true })
})

test('its time is limited, and one that does not heed the signal is left behind', async () => {
  const heeds = tool(async (_input, { signal }) => delay(10_000, 'late', { signal }), { timeoutMs: 20 })
  expect(await runTool(heeds, {})).toEqual({ status: 'error', result: 'it took longer than 20 ms.', settled: true })
  const deaf = tool(() => new Promise(() => undefined), { timeoutMs: 20 })
  expect(await runTool(deaf, {})).toEqual({ status: 'error', result: 'it took longer than 20 ms.', settled: false })
})

test('what it returns after a stop is thrown away, and one that is stopped already does not begin', async () => {
  const stop = new AbortController()
  let begun = 0
  const works = tool((_input, { signal }) => {
    begun++
    stop.abort(new Error('stopped'))
    return signal.aborted
  })
  expect(await runTool(works, {}, { signal: stop.signal })).toMatchObject({ status: 'error', result: 'stopped' })
  expect(await runTool(works, {}, { signal: stop.signal })).toMatchObject({ status: 'error', result: 'stopped' })
  expect(begun).toBe(1)
})
