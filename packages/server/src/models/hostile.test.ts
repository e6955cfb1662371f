import { Agent } from 'node:http'
import { startFakeModel } from '@parley/testkit'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createEgress } from '../egress/egress.ts'
import type { JsonValue, Model, ModelEvent, Usage } from '../ports.ts'
import { createAnthropicModel, createOpenAIModel } from './ai-sdk/providers.ts'
import { LIMITS, recording, requestOf } from './fixtures/ask.ts'
import { createOpenAICompatibleModel } from './openai-compatible/model.ts'
import { readReply } from './openai-compatible/read-reply.ts'

// A provider's bytes are data: whatever they are, a call ends, once, and what it gave can be stored and sent back.

const egress = createEgress()
let made = 0
const newCallId = () => `call_made_${++made}`
const COMMON = { id: 'm', model: 'm', apiKey: 'secret', limits: LIMITS, newCallId }
const fetchFor = (endpoint: string) => egress.fetchFor(endpoint)

type Wire = { connect: (url: string) => Model; recordings: readonly string[]; runs: number }

const WIRES: Record<string, Wire> = {
  'openai-compatible': {
    connect: (url) =>
      createOpenAICompatibleModel({
        ...COMMON,
        baseUrl: new URL(url),
        agent: new Agent({ keepAlive: true }),
        connectTimeoutMs: 5000,
        idleTimeoutMs: 5000,
      }),
    recordings: [
      'openai-parallel-tools',
      'gemini-tools',
      'mistral-thinking',
      'deepseek-reasoning-tool',
      'error-in-stream',
    ],
    runs: 150,
  },
  anthropic: {
    connect: (baseUrl) => createAnthropicModel({ ...COMMON, baseUrl, fetchFor }),
    recordings: ['anthropic-thinking-tools'],
    runs: 60,
  },
  openai: {
    connect: (baseUrl) => createOpenAIModel({ ...COMMON, baseUrl, fetchFor }),
    recordings: ['openai-responses-tool'],
    runs: 60,
  },
}

describe.each(Object.entries(WIRES))('%s', (_name, { connect, recordings, runs }) => {
  test('any value at any place of an answer, in any pieces, ends the call in one of its two ways', async () => {
    let body: Uint8Array[] = []
    await using provider = await startFakeModel(() => ({ recorded: { body } }))
    const model = connect(provider.url)
    const answers = fc.constantFrom(...recordings.map(recording))
    await fc.assert(
      fc.asyncProperty(
        answers,
        fc.array(change(), { minLength: 1, maxLength: 4 }),
        fc.infiniteStream(fc.integer({ min: 1, max: 400 })),
        async (answer, changes, sizes) => {
          body = pieces(Buffer.from(changed(answer, changes)), sizes)
          expectOneEnd(await collect(model))
        },
      ),
      { numRuns: runs },
    )
  })

  test('any bytes at all end the call in one of its two ways', async () => {
    let body: Uint8Array[] = []
    await using provider = await startFakeModel(() => ({ recorded: { body } }))
    const model = connect(provider.url)
    const line = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.json().map((json) => Buffer.from(`data: ${json}\n\n`)),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 8 }), async (lines) => {
        body = lines
        expectOneEnd(await collect(model))
      }),
      { numRuns: runs },
    )
  })

  test.each([
    ['a body that nests without end', `{"error":${'['.repeat(20_000)}${']'.repeat(20_000)}}`],
    ['a body without an end', 'input token count '.repeat(60_000)],
    ['bytes', Buffer.from([0xff, 0x00, 0xc3]).toString('latin1')],
    ['an error that is no object', '{"error":[null],"detail":{"a":{}}}'],
  ])('an error with %s is a failure like any other', async (_what, body) => {
    await using provider = await startFakeModel(() => ({
      recorded: { status: 418, contentType: 'application/json', body },
    }))
    const events = await collect(connect(provider.url))
    expectOneEnd(events)
    expect(JSON.stringify(events).length).toBeLessThan(1_000)
  })
})

test('any chunks, read without a network between, never throw and always end', () => {
  const answers = fc.constantFrom(...WIRES['openai-compatible']!.recordings.map(recording))
  fc.assert(
    fc.property(answers, fc.array(change(), { minLength: 1, maxLength: 6 }), (answer, changes) => {
      const events: ModelEvent[] = []
      const emit = (event: ModelEvent) => void events.push(event)
      const reply = readReply({ model: 'm', secret: 'secret', limits: LIMITS, newCallId, emit })
      for (const line of changed(answer, changes).split('\n\n')) reply.data(line.replace(/^data: /, ''))
      reply.end()
      expectOneEnd(events)
    }),
    { numRuns: 3_000 },
  )
})

test.each([
  ['negative', -1],
  ['a fraction', 1.5],
  ['text', '12'],
  ['endless', 1e308],
  ['too much to add up', 9e15],
  ['null', null],
])('a count of tokens that is %s is dropped', async (_what, count) => {
  const usage = { prompt_tokens: count, completion_tokens: 3, prompt_tokens_details: { cached_tokens: count } }
  const chunk = { choices: [{ delta: { content: 'Hi' }, finish_reason: 'stop' }], usage }
  await using provider = await startFakeModel([
    { recorded: { body: `data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n` } },
  ])
  const events = await collect(WIRES['openai-compatible']!.connect(provider.url))
  expect(events.at(-1)).toMatchObject({ type: 'finish', usage: { input_tokens: 0, output_tokens: 3 } })
  expect(events.at(-1)).not.toHaveProperty('usage.cache_read_tokens')
})

test('calls under one id, under none and under one too long get ids of their own, and long names an end', async () => {
  const call = (index: number, id: string, name = 'Read') => ({ index, id, function: { name, arguments: '{}' } })
  const tool_calls = [
    call(0, 'same'),
    call(1, 'same'),
    call(2, ''),
    call(3, 'x'.repeat(20_000)),
    call(4, 'other', 'n'.repeat(5_000)),
  ]
  const chunk = { choices: [{ delta: { tool_calls }, finish_reason: 'tool_calls' }] }
  await using provider = await startFakeModel([
    { recorded: { body: `data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n` } },
  ])
  const events = await collect(WIRES['openai-compatible']!.connect(provider.url))
  const calls = events.flatMap((event) => (event.type === 'tool_call' ? [event.call] : []))
  expect(calls).toHaveLength(5)
  expect(new Set(calls.map(({ id }) => id)).size).toBe(5)
  expect(calls.map(({ id }) => id)).toEqual(expect.arrayContaining(['same', 'other']))
  for (const { id, name } of calls) expect(id.length + name.length).toBeLessThan(300)
})

test('what is to go back is not kept when it nests too deep to be stored', async () => {
  const deep = JSON.parse(`${'{"a":'.repeat(60)}1${'}'.repeat(60)}`) as JsonValue
  const tool_calls = [{ index: 0, id: 'c', function: { name: 'Read', arguments: '{}' }, extra_content: deep }]
  const chunk = { choices: [{ delta: { tool_calls }, finish_reason: 'tool_calls' }] }
  await using provider = await startFakeModel([
    { recorded: { body: `data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n` } },
  ])
  const events = await collect(WIRES['openai-compatible']!.connect(provider.url))
  expect(events.find(({ type }) => type === 'tool_call')).toEqual({
    type: 'tool_call',
    call: { id: 'c', name: 'Read', arguments: '{}' },
  })
})

async function collect(model: Model): Promise<ModelEvent[]> {
  const events: ModelEvent[] = []
  for await (const event of model.stream(requestOf('Hello'))) events.push(event)
  return events
}

/** The last event is the only end, and everything before it is what the port promises. */
function expectOneEnd(events: readonly ModelEvent[]): void {
  const last = events.at(-1)
  expect(['finish', 'failed']).toContain(last?.type)
  const ids = new Set<string>()
  for (const event of events) {
    if (event.type === 'text' || event.type === 'thinking') expect(event.delta).toMatch(/^[^]+$/)
    if (event.type === 'finish' || event.type === 'failed') {
      expect(event).toBe(last)
      if (event.usage) expectCounts(event.usage)
    }
    if (event.type !== 'tool_call') continue
    const { id, name, arguments: text } = event.call
    expect([typeof id, typeof name, typeof text]).toEqual(['string', 'string', 'string'])
    expect(id).not.toBe('')
    expect(ids).not.toContain(id)
    ids.add(id)
  }
}

function expectCounts(usage: Usage): void {
  for (const count of Object.values(usage)) expect(Number.isSafeInteger(count) && count >= 0).toBe(true)
}

type Change = { line: number; place: number; value: JsonValue }

/** Some value in place of another one, anywhere in one event of an answer. */
function change(): fc.Arbitrary<Change> {
  const odd = fc.constantFrom<JsonValue>(
    null,
    [null],
    [[]],
    {},
    '',
    -1,
    1e308,
    0.5,
    'length',
    true,
    { index: null },
    '\u0000',
  )
  return fc.record({ line: fc.nat(), place: fc.nat(), value: fc.oneof(odd, fc.jsonValue() as fc.Arbitrary<JsonValue>) })
}

function changed(answer: string, changes: readonly Change[]): string {
  const lines = answer.split('\n')
  for (const { line, place, value } of changes) {
    const events = lines.flatMap((text, at) => (text.startsWith('data: {') ? [at] : []))
    const at = events[line % events.length]
    if (at === undefined) break
    const data = JSON.parse(lines[at]!.slice('data: '.length)) as JsonValue
    const places = placesIn(data)
    const path = places[place % places.length]!
    lines[at] = `data: ${JSON.stringify(replaced(data, path, value))}`
  }
  return lines.join('\n')
}

function placesIn(value: JsonValue, path: string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [path]
  return [path, ...Object.entries(value).flatMap(([name, child]) => placesIn(child, [...path, name]))]
}

function replaced(value: JsonValue, [name, ...rest]: readonly string[], by: JsonValue): JsonValue {
  if (name === undefined) return by
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as { [name: string]: JsonValue }
  copy[name] = replaced(copy[name]!, rest, by)
  return copy
}

function pieces(bytes: Buffer, sizes: Iterator<number>): Uint8Array[] {
  const cut: Uint8Array[] = []
  for (let at = 0; at < bytes.length;) {
    const size = sizes.next().value as number
    cut.push(bytes.subarray(at, at + size))
    at += size
  }
  return cut
}
