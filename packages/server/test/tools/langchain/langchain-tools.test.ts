import { createServer } from 'node:http'
import { type AddressInfo } from 'node:net'
import { DynamicStructuredTool, DynamicTool, StructuredTool, tool } from '@langchain/core/tools'
import { TavilySearch } from '@langchain/tavily'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { z as z3 } from 'zod/v3'
import type { JsonValue } from '../../../src/ports.ts'
import type { ToolContext, ToolDefinition } from '../../../src/tools/define-tool.ts'
import { langchainTools } from '../../../src/tools/langchain/langchain-tools.ts'

const add = tool(({ a, b }: { a: number; b: number }) => String(a + b), {
  name: 'add',
  description: 'Adds two numbers.',
  schema: z.object({ a: z.int(), b: z.number().describe('the second') }),
})

test('tool() with a zod 4 schema is offered with its JSON Schema and runs', async () => {
  const adding = one(add)
  expect(adding).toMatchObject({
    name: 'add',
    description: 'Adds two numbers.',
    provider: 'langchain',
    risk: 'medium',
    readOnly: false,
    replay: 'never',
  })
  expect(adding.input).toMatchObject({
    type: 'object',
    properties: { a: { type: 'integer' }, b: { type: 'number', description: 'the second' } },
    required: ['a', 'b'],
  })
  expect(JSON.stringify(adding.input)).not.toContain(String(Number.MAX_SAFE_INTEGER))
  expect(await run(adding, { a: 2, b: 3 })).toEqual({ result: '5' })
})

test('a zod 3 schema becomes a JSON Schema as well, and bad arguments are told', async () => {
  const book = one(
    tool(({ seats }: { seats: number }) => ({ booked: seats }), {
      name: 'book',
      description: 'Books.',
      schema: z3.object({
        seats: z3.number().int().min(1).max(9),
        kind: z3.enum(['window', 'aisle']).optional().describe('where'),
        names: z3.array(z3.string().min(1)).default([]),
        note: z3.string().nullable(),
      }) as never,
    }),
  )
  expect(book.input).toEqual({
    type: 'object',
    properties: {
      seats: { type: 'integer', minimum: 1, maximum: 9 },
      kind: { type: 'string', enum: ['window', 'aisle'], description: 'where' },
      names: { type: 'array', items: { type: 'string', minLength: 1 } },
      note: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    },
    required: ['seats', 'note'],
  })
  expect(book.check({ seats: 0, note: null })).toEqual({
    ok: false,
    message: expect.stringMatching(/^book was called with arguments that do not fit\. seats: /),
  })
  expect((await run(book, { seats: 2, note: null })).result).toEqual('{"booked":2}')
})

test('a JSON Schema is passed on as it is, and the tool refuses what does not fit it', async () => {
  const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
  const weather = one(
    new DynamicStructuredTool({ name: 'weather', description: 'Weather.', schema, func: async () => 'sunny' }),
  )
  expect(weather.input).toEqual(schema)
  expect(await run(weather, { city: 'Paris' })).toEqual({ result: 'sunny' })
  await expect(run(weather, { city: 7 })).rejects.toThrow(/did not match expected schema/)
})

test('a DynamicTool, which takes one text, is called with it', async () => {
  const shout = one(
    new DynamicTool({ name: 'shout', description: 'Shouts.', func: async (text) => text.toUpperCase() }),
  )
  expect(shout.input).toMatchObject({ type: 'object', properties: { input: { type: 'string' } } })
  expect(await run(shout, { input: 'hi' })).toEqual({ result: 'HI' })
})

class Divide extends StructuredTool {
  override name = 'divide'
  override description = 'Divides.'
  override schema = z.object({ a: z.number(), b: z.number() })

  protected override async _call({ a, b }: { a: number; b: number }): Promise<string> {
    if (b === 0) throw new Error('Division by zero.')
    return String(a / b)
  }
}

test('a subclass of StructuredTool runs, and what it throws is the error the model reads', async () => {
  const divide = one(new Divide())
  expect(await run(divide, { a: 6, b: 3 })).toEqual({ result: '2' })
  await expect(run(divide, { a: 6, b: 0 })).rejects.toThrow('Division by zero.')
})

test('content blocks of texts become one text', async () => {
  const said = one(
    tool(
      () =>
        [
          { type: 'text', text: 'one' },
          { type: 'text', text: 'two' },
        ] as never,
      {
        name: 'say',
        description: 'Says.',
        schema: z.object({}),
      },
    ),
  )
  expect(await run(said, {})).toEqual({ result: 'one\ntwo' })
})

test('bad arguments go back as a readable sentence, without running the tool', () => {
  expect(one(add).check({ a: 'two', b: 3 })).toEqual({
    ok: false,
    message: expect.stringMatching(/^add was called with arguments that do not fit\. a: /),
  })
  expect(one(add).check('text')).toMatchObject({ ok: false })
  expect(one(add).check({ a: 2, b: 3 })).toEqual({ ok: true, value: { a: 2, b: 3 } })
})

test('a stop ends a call at once, and the tool sees the signal', async () => {
  let seen: AbortSignal | undefined
  const hang = one(
    tool(
      async (_input, config) => {
        seen = config.signal
        await new Promise(() => undefined)
      },
      { name: 'hang', description: 'Hangs.', schema: z.object({}) },
    ),
  )
  const stop = new AbortController()
  const call = run(hang, {}, stop.signal)
  const failed = expect(call).rejects.toThrow('stopped by the user')
  await expect.poll(() => seen).toBeDefined()
  stop.abort(new Error('stopped by the user'))
  await failed
  expect(seen!.aborted).toBe(true)
})

test('TavilySearch searches a server on a real port', async () => {
  const asked: unknown[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += chunk))
    request.on('end', () => {
      asked.push({ url: request.url, ...JSON.parse(body) })
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ results: [{ title: 'Parley', url: 'https://example.org', content: 'It talks.' }] }))
    })
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  try {
    const search = one(new TavilySearch({ tavilyApiKey: 'tvly-x', apiBaseUrl: `http://127.0.0.1:${port}` }))
    expect(search.input).toMatchObject({ type: 'object', properties: { query: { type: 'string' } } })
    const { result } = await run(search, { query: 'parley' })
    expect(JSON.stringify(result)).toContain('It talks.')
    expect(asked).toEqual([expect.objectContaining({ url: '/search', query: 'parley' })])
  } finally {
    server.closeAllConnections()
    server.close()
  }
})

test.each([
  ['nothing', [null], /number 1 is not a tool/],
  ['an object without invoke', [{ name: 'x' }], /number 1 is not a tool/],
  ['a name that models refuse', [{ name: 'my tool', invoke: async () => '' }], /"my tool" is not a usable name/],
  ['two of one name', [add, add], /Two LangChain tools are named add/],
])('%s is refused at start', (_what, tools, message) => {
  expect(() => langchainTools(tools)).toThrow(message)
})

function one(given: unknown): ToolDefinition {
  return langchainTools([given])[0]!
}

async function run(definition: ToolDefinition, input: JsonValue, signal = new AbortController().signal) {
  const context: ToolContext = {
    session_id: 'sess_1',
    tool_call_id: 'call_1',
    attempt: 1,
    subject: null,
    workspace: '/nonexistent',
    env: {},
    signal,
    notify: () => undefined,
  }
  return definition.run(input, context)
}
