import { createEgress } from '../egress/egress.ts'
import { Agent } from 'node:http'
import { startFakeModel, type FakeReply } from '@parley/testkit'
import { describe, expect, test } from 'vitest'
import type { Model } from '../ports.ts'
import { createAnthropicModel } from './ai-sdk/providers.ts'
import { eventsOf, LIMITS, requestOf, toolNamed, userSays } from './fixtures/ask.ts'
import { createOpenAICompatibleModel } from './openai-compatible/model.ts'

const KEY = 'secret-key-of-the-operator'

type Timeouts = { connectTimeoutMs?: number; idleTimeoutMs?: number }

const WIRES: Record<string, (url: string, timeouts?: Timeouts) => Model> = {
  'openai-compatible': (url, timeouts) =>
    createOpenAICompatibleModel({
      id: 'model-x',
      model: 'model-x',
      baseUrl: new URL(url),
      apiKey: KEY,
      agent: new Agent({ keepAlive: true }),
      connectTimeoutMs: 5000,
      idleTimeoutMs: 5000,
      limits: LIMITS,
      newCallId: () => 'call_made_up',
      ...timeouts,
    }),
  anthropic: (baseUrl, timeouts) =>
    createAnthropicModel({
      id: 'model-x',
      model: 'claude-sonnet-5-5',
      baseUrl,
      apiKey: KEY,
      limits: LIMITS,
      newCallId: () => 'call_made_up',
      fetchFor: (endpoint) =>
        createEgress().fetchFor(endpoint, { connectTimeoutMs: 5000, idleTimeoutMs: 5000, ...timeouts }),
    }),
}

describe.each(Object.entries(WIRES))('%s', (wire, connect) => {
  async function ask(reply: FakeReply, rest = {}) {
    await using provider = await startFakeModel([reply])
    return await eventsOf(connect(provider.url), requestOf('Hello', rest))
  }

  test('an answer is accepted, streamed and finished with the token counts', async () => {
    const usage = { input: 100, output: 7 }
    expect(await ask({ text: 'Paris is the capital 😀.', chunkChars: 3, usage })).toEqual([
      { type: 'accepted', model: 'model-x' },
      { type: 'text', delta: 'Paris is the capital 😀.' },
      { type: 'part_end', part: 'text' },
      { type: 'finish', reason: 'stop', usage: { input_tokens: 100, output_tokens: 7 } },
    ])
  })

  test('deltas arrive one by one while the provider is still writing', async () => {
    await using provider = await startFakeModel([{ text: 'one two three', chunkDelayMs: 20 }])
    const deltas = []
    for await (const event of connect(provider.url).stream(requestOf('Hello')))
      if (event.type === 'text') deltas.push(event.delta)
    expect(deltas).toEqual(['one', ' two', ' three'])
  })

  test('thinking is a part of its own before the text', async () => {
    const events = await ask({ thinking: 'Let me see.', text: 'Yes.' })
    expect(events).toMatchObject([
      { type: 'accepted' },
      { type: 'thinking', delta: 'Let me see.' },
      { type: 'part_end', part: 'thinking' },
      { type: 'text', delta: 'Yes.' },
      { type: 'part_end', part: 'text' },
      { type: 'finish', reason: 'stop' },
    ])
  })

  test('parallel tool calls arrive whole and in order, with the ids of the provider', async () => {
    const calls = [
      { id: 'call_a', name: 'Read', arguments: { file_path: 'a long path/to some file.txt' } },
      { id: 'call_b', name: 'Glob', arguments: {} },
    ]
    const events = await ask({ text: 'Both:', calls }, { tools: [toolNamed('Read'), toolNamed('Glob')] })
    expect(events.filter(({ type }) => type === 'tool_call' || type === 'finish')).toMatchObject([
      { call: { id: 'call_a', name: 'Read', arguments: '{"file_path":"a long path/to some file.txt"}' } },
      { call: { id: 'call_b', name: 'Glob', arguments: '{}' } },
      { type: 'finish', reason: 'tool_calls' },
    ])
  })

  test.each([
    ['length', 'length'],
    ['refused', 'refused'],
  ] as const)('an answer that ends by %s says so', async (finish, reason) => {
    expect((await ask({ text: 'Once', finish })).at(-1)).toMatchObject({ type: 'finish', reason })
  })

  test.each([
    ['auth', { status: 401 }],
    ['auth', { status: 403 }],
    ['rate_limit', { status: 429 }],
    ['server', { status: 500 }],
    ['server', { status: 503 }],
    ['server', { status: 529 }],
    ['overflow', { status: 400, overflow: true }],
    ['invalid', { status: 400 }],
    ['invalid', { status: 404 }],
  ] as const)('a refusal of kind %s (%o) is a failure without a turn', async (kind, error) => {
    expect(await ask({ error })).toMatchObject([{ type: 'failed', failure: { kind, incomplete: false }, usage: null }])
  })

  test.each([
    ['7', 7000],
    ['0.5', 500],
    ['soon', undefined],
  ])('Retry-After %s is %s ms', async (retryAfter, retryAfterMs) => {
    const [event] = await ask({ error: { status: 429, retryAfter } })
    expect(event).toHaveProperty('failure.kind', 'rate_limit')
    expect(event?.type === 'failed' && event.failure.retryAfterMs).toBe(retryAfterMs)
  })

  test('a key that the provider repeats does not get into the message', async () => {
    const body = {
      type: 'error',
      error: { type: 'authentication_error', message: `Bad key ${KEY}, or sk-abcdef123456` },
    }
    const [event] = await ask({ error: { status: 401, body } })
    expect(event).toHaveProperty('failure.message', expect.stringContaining('Bad key [key], or [key]'))
  })

  test('an error inside the stream keeps what was said', async () => {
    const errorInStream = { type: 'overloaded_error', message: 'Overloaded' }
    expect(await ask({ text: 'Paris is', errorInStream })).toMatchObject([
      { type: 'accepted' },
      { type: 'text', delta: 'Paris is' },
      ...(wire === 'anthropic' ? [{ type: 'part_end' }] : []),
      { type: 'failed', failure: { kind: 'server', incomplete: true, message: expect.stringContaining('Overloaded') } },
    ])
  })

  test('a provider that hangs up in the middle keeps what was said', async () => {
    const events = await ask({ text: 'Paris is', hangUp: true })
    expect(events.filter(({ type }) => type !== 'part_end')).toMatchObject([
      { type: 'accepted' },
      { type: 'text', delta: 'Paris is' },
      { type: 'failed', failure: { kind: 'network', incomplete: true } },
    ])
  })

  test('a provider that sends garbage fails without a throw', async () => {
    expect((await ask({ text: 'Paris is', garbage: true })).at(-1)).toMatchObject({
      type: 'failed',
      failure: { kind: 'server', incomplete: true, message: expect.stringContaining('not JSON') },
    })
  })

  test.each([
    ['before', false],
    ['after', true],
  ] as const)(
    'a provider that falls silent %s it answers is given up after the idle time',
    async (hang, incomplete) => {
      await using provider = await startFakeModel([{ text: 'Paris is', hang }])
      const events = await eventsOf(connect(provider.url, { idleTimeoutMs: 150 }), requestOf('Hello'))
      expect(events.at(-1)).toMatchObject({ type: 'failed', failure: { kind: 'network', incomplete } })
      expect(await provider.requests[0]?.closed).toBe('aborted')
    },
  )

  test('a provider that pauses for less than the idle time is waited for', async () => {
    await using provider = await startFakeModel([{ text: 'a b c d e f', chunkDelayMs: 60 }])
    const events = await eventsOf(connect(provider.url, { idleTimeoutMs: 250 }), requestOf('Hello'))
    expect(events.at(-1)).toMatchObject({ type: 'finish' })
  })

  test('a provider that is not there is a network failure', async () => {
    const provider = await startFakeModel([])
    await provider.close()
    expect(await eventsOf(connect(provider.url), requestOf('Hello'))).toMatchObject([
      { type: 'failed', failure: { kind: 'network', incomplete: false } },
    ])
  })

  test('an abort in the middle ends the stream without another event and closes the connection', async () => {
    await using provider = await startFakeModel([{ text: 'one two three four', chunkDelayMs: 30 }])
    const stopping = new AbortController()
    const seen = []
    for await (const event of connect(provider.url).stream(requestOf('Hello', { signal: stopping.signal }))) {
      seen.push(event.type)
      if (event.type === 'text') stopping.abort()
    }
    expect(seen).toEqual(['accepted', 'text'])
    expect(await provider.requests[0]?.closed).toBe('aborted')
  })

  test('an abort while the provider says nothing ends the stream and closes the connection', async () => {
    await using provider = await startFakeModel([{ hang: 'before' }])
    const stopping = new AbortController()
    const events = eventsOf(connect(provider.url), requestOf('Hello', { signal: stopping.signal }))
    await provider.received(1)
    stopping.abort()
    expect(await events).toEqual([])
    expect(await provider.requests[0]?.closed).toBe('aborted')
  })

  test('a call that is aborted before it starts reaches nobody', async () => {
    await using provider = await startFakeModel([{ text: 'Hi' }])
    expect(await eventsOf(connect(provider.url), requestOf('Hello', { signal: AbortSignal.abort() }))).toEqual([])
    expect(provider.requests).toHaveLength(0)
  })

  test('a reader that leaves early closes the connection', async () => {
    await using provider = await startFakeModel([{ text: 'one two three', chunkDelayMs: 30 }])
    for await (const event of connect(provider.url).stream(requestOf('Hello'))) if (event.type === 'text') break
    expect(await provider.requests[0]?.closed).toBe('aborted')
  })

  test('the provider gets system prompt, history, tools and tool results in their order', async () => {
    await using provider = await startFakeModel([{ text: 'Done.' }])
    const request = requestOf('', {
      tools: [toolNamed('Write'), toolNamed('Read')],
      toolChoice: 'required',
      maxOutputTokens: 321,
      messages: [
        userSays('Read it'),
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'Reading.' },
            { type: 'tool_call', id: 'call_1', name: 'Read', arguments: '{"file_path":"a"}' },
            { type: 'tool_call', id: 'call_2', name: 'Write', arguments: '' },
          ],
        },
        { role: 'tool', tool_call_id: 'call_1', tool_name: 'Read', text: 'first', is_error: false },
        { role: 'tool', tool_call_id: 'call_2', tool_name: 'Write', text: 'second', is_error: true },
      ],
    })
    await eventsOf(connect(provider.url), request)
    expect(provider.requests[0]).toMatchObject({
      system: 'You are a test.',
      tools: ['Write', 'Read'],
      question: 'Read it',
      results: ['first', 'second'],
      messages: [
        { role: 'user', text: 'Read it' },
        { role: 'assistant', text: 'Reading.', calls: ['Read', 'Write'] },
        { role: 'tool', text: 'first' },
        { role: 'tool', text: 'second' },
      ],
      body: { max_tokens: 321 },
    })
    const authorization = wire === 'anthropic' ? { 'x-api-key': KEY } : { authorization: `Bearer ${KEY}` }
    expect(provider.requests[0]?.headers).toMatchObject(authorization)
  })

  test('images go along, inline and by address', async () => {
    await using provider = await startFakeModel([{ text: 'A cat.' }])
    const content = [
      { type: 'text' as const, text: 'What is this?' },
      { type: 'image' as const, url: 'data:image/png;base64,iVBORw0KGgo=', media_type: 'image/png' },
      { type: 'image' as const, url: 'https://example.com/cat.jpg', media_type: null },
    ]
    await eventsOf(connect(provider.url), requestOf('', { messages: [{ role: 'user', content }] }))
    const sent = JSON.stringify(provider.requests[0]?.body)
    expect(sent).toContain('iVBORw0KGgo=')
    expect(sent).toContain('https://example.com/cat.jpg')
  })
})
