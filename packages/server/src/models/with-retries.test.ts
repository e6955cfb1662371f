import { Agent } from 'node:http'
import { startFakeModel, type FakeReply } from '@parley/testkit'
import { expect, test } from 'vitest'
import type { ModelEvent } from '../ports.ts'
import { eventsOf, LIMITS, requestOf } from './fixtures/ask.ts'
import { createOpenAICompatibleModel } from './openai-compatible/model.ts'
import { withRetries, type NamedModel, type RetryOptions } from './with-retries.ts'

const RATE_LIMIT: FakeReply = { error: { status: 429 } }
const DOWN: FakeReply = { error: { status: 503 } }
const FINE: FakeReply = { text: 'Fine.' }

/** A clock on which every pause is over at once; `waits` are the pauses. */
function fakeClock() {
  const waits: number[] = []
  return { waits, sleep: async (ms: number) => void waits.push(ms) }
}

function modelAt(url: string, id = 'first'): NamedModel {
  const model = createOpenAICompatibleModel({
    id,
    model: id,
    baseUrl: new URL(url),
    agent: new Agent({ keepAlive: true }),
    connectTimeoutMs: 2000,
    idleTimeoutMs: 2000,
    limits: LIMITS,
    newCallId: () => 'call_made_up',
  })
  return { id, model }
}

async function ask(script: FakeReply[], options: Partial<RetryOptions> = {}, fallbackScript?: FakeReply[]) {
  await using provider = await startFakeModel(script)
  await using second = await startFakeModel(fallbackScript ?? [])
  const { waits, sleep } = fakeClock()
  const fallback = fallbackScript ? { fallback: modelAt(second.url, 'second') } : {}
  const model = withRetries(modelAt(provider.url), { sleep, random: () => 1, ...fallback, ...options })
  const events = await eventsOf(model, requestOf('Hello'))
  return { events, waits, asked: provider.requests.length, askedSecond: second.requests.length }
}

const types = (events: ModelEvent[]) => events.map(({ type }) => type)

test('a good answer passes unchanged and unrepeated', async () => {
  const { events, asked } = await ask([FINE])
  expect(types(events)).toEqual(['accepted', 'text', 'part_end', 'finish'])
  expect(asked).toBe(1)
})

test('a refused call is announced, waited for twice as long each time, and repeated', async () => {
  const { events, waits } = await ask([RATE_LIMIT, DOWN, DOWN, FINE])
  expect(events).toMatchObject([
    { type: 'retry', attempt: 1, delayMs: 500, model: 'first', failure: { kind: 'rate_limit' } },
    { type: 'retry', attempt: 2, delayMs: 1000, model: 'first', failure: { kind: 'server' } },
    { type: 'retry', attempt: 3, delayMs: 2000, model: 'first', failure: { kind: 'server' } },
    { type: 'accepted', model: 'first' },
    { type: 'text', delta: 'Fine.' },
    { type: 'part_end' },
    { type: 'finish' },
  ])
  expect(waits).toEqual([500, 1000, 2000])
})

test('after three retries the failure is final', async () => {
  const { events, asked } = await ask([DOWN, DOWN, DOWN, DOWN, FINE])
  expect(types(events)).toEqual(['retry', 'retry', 'retry', 'failed'])
  expect(asked).toBe(4)
})

test.each([
  ['auth', { error: { status: 401 } }],
  ['overflow', { error: { status: 400, overflow: true } }],
  ['invalid', { error: { status: 400 } }],
])('a failure of kind %s is not repeated', async (kind, reply) => {
  const { events, asked } = await ask([reply, FINE])
  expect(events).toMatchObject([{ type: 'failed', failure: { kind } }])
  expect(asked).toBe(1)
})

test('Retry-After is honoured when it is longer than the back-off', async () => {
  expect((await ask([{ error: { status: 429, retryAfter: 9 } }, FINE])).waits).toEqual([9000])
  expect((await ask([{ error: { status: 429, retryAfter: 0 } }, FINE])).waits).toEqual([500])
})

test('a Retry-After beyond the bound is not waited for', async () => {
  const { events, waits } = await ask([{ error: { status: 429, retryAfter: 3600 } }, FINE])
  expect(events).toMatchObject([{ type: 'failed', failure: { kind: 'rate_limit', retryAfterMs: 3_600_000 } }])
  expect(waits).toEqual([])
})

test('the pause is spread by chance, between half and whole, and bounded', async () => {
  expect((await ask([DOWN, FINE], { random: () => 0 })).waits).toEqual([250])
  expect((await ask([DOWN, DOWN, FINE], { baseDelayMs: 6000 })).waits).toEqual([6000, 8000])
})

test('an empty answer counts as refused', async () => {
  const { events } = await ask([{ text: '' }, FINE])
  expect(events).toMatchObject([
    { type: 'retry', failure: { kind: 'server', message: expect.stringContaining('empty answer'), incomplete: false } },
    { type: 'accepted' },
    { type: 'text' },
    { type: 'part_end' },
    { type: 'finish' },
  ])
})

test('an answer without text that was refused, or used up its tokens, is not repeated', async () => {
  for (const finish of ['refused', 'length'] as const) {
    const { events, asked } = await ask([{ text: '', finish }, FINE])
    expect(events).toMatchObject([{ type: 'accepted' }, { type: 'finish', reason: finish }])
    expect(asked).toBe(1)
  }
})

test('a call that breaks off before its first output is repeated and leaves no turn', async () => {
  const { events } = await ask([{ hangUp: true }, FINE])
  expect(types(events)).toEqual(['retry', 'accepted', 'text', 'part_end', 'finish'])
})

test('a call that breaks off after its first output is not repeated', async () => {
  const { events, asked } = await ask([{ text: 'Paris is', hangUp: true }, FINE])
  expect(events).toMatchObject([
    { type: 'accepted' },
    { type: 'text', delta: 'Paris is' },
    { type: 'failed', failure: { kind: 'network', incomplete: true } },
  ])
  expect(asked).toBe(1)
})

test('the fallback model answers when every attempt failed', async () => {
  const { events, askedSecond } = await ask([DOWN, DOWN, DOWN, DOWN], {}, [FINE])
  expect(events.slice(3)).toMatchObject([
    { type: 'retry', attempt: 4, delayMs: 0, model: 'second', failure: { kind: 'server' } },
    { type: 'accepted', model: 'second' },
    { type: 'text', delta: 'Fine.' },
    { type: 'part_end' },
    { type: 'finish' },
  ])
  expect(askedSecond).toBe(1)
})

test('the fallback model is asked at once when a key is refused, and only once', async () => {
  const { events, asked, askedSecond } = await ask([{ error: { status: 401 } }], {}, [DOWN, FINE])
  expect(events).toMatchObject([
    { type: 'retry', model: 'second', failure: { kind: 'auth' } },
    { type: 'failed', failure: { kind: 'server', message: expect.stringContaining('second') } },
  ])
  expect([asked, askedSecond]).toEqual([1, 1])
})

test('the fallback model is not asked about a conversation that is too long', async () => {
  const { askedSecond } = await ask([{ error: { status: 400, overflow: true } }], {}, [FINE])
  expect(askedSecond).toBe(0)
})

test('an abort during the pause ends the stream and asks nobody again', async () => {
  await using provider = await startFakeModel([DOWN, FINE])
  const stopping = new AbortController()
  const sleep = async () => stopping.abort()
  const model = withRetries(modelAt(provider.url), { sleep, random: () => 1 })
  expect(types(await eventsOf(model, requestOf('Hello', { signal: stopping.signal })))).toEqual(['retry'])
  expect(provider.requests).toHaveLength(1)
})
