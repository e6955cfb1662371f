import { startFakeModel } from '@parley/testkit'
import { describe, expect, test } from 'vitest'
import { createEgress } from '../../egress/egress.ts'
import type { ModelMessage } from '../../ports.ts'
import { answerIn, eventsOf, LIMITS, recording, requestOf, toolNamed, userSays } from '../fixtures/ask.ts'
import { createAnthropicModel, createOpenAIModel } from './providers.ts'

const egress = createEgress()
const COMMON = {
  apiKey: 'secret',
  limits: LIMITS,
  newCallId: () => 'call_made_up',
  fetchFor: (endpoint: string) => egress.fetchFor(endpoint),
}

function claude(baseUrl: string, rest = {}) {
  return createAnthropicModel({ id: 'claude', model: 'claude-sonnet-5-5', baseUrl, ...COMMON, ...rest })
}

function gpt(baseUrl: string) {
  return createOpenAIModel({ id: 'gpt', model: 'gpt-5.6', baseUrl, ...COMMON })
}

function resultsOf(answer: ModelMessage & { role: 'assistant' }): ModelMessage[] {
  return answer.content.flatMap((part) =>
    part.type === 'tool_call'
      ? [{ role: 'tool', tool_call_id: part.id, tool_name: part.name, text: 'ok', is_error: false }]
      : [],
  )
}

describe('anthropic', () => {
  test('thinking, its signature, hidden thinking, text and parallel calls are read from a recorded reply', async () => {
    await using provider = await startFakeModel([{ recorded: { body: recording('anthropic-thinking-tools') } }])
    expect(await eventsOf(claude(provider.url), requestOf('Read both'))).toEqual([
      { type: 'accepted', model: 'claude' },
      { type: 'thinking', delta: 'The user wants both files.' },
      { type: 'part_end', part: 'thinking', metadata: { anthropic: { signature: 'EqQBCgIYAhIM1gbcDa9GJwZA2b3h' } } },
      { type: 'part_end', part: 'thinking', metadata: { anthropic: { redactedData: 'EmwKAhgBEgy3va3pzix/LafPsn4a' } } },
      { type: 'text', delta: 'I will read both.' },
      { type: 'part_end', part: 'text' },
      { type: 'tool_call', call: { id: 'toolu_01A', name: 'Read', arguments: '{"file_path": "a.txt"}' } },
      { type: 'tool_call', call: { id: 'toolu_01B', name: 'Read', arguments: '{"file_path": "b.txt"}' } },
      {
        type: 'finish',
        reason: 'tool_calls',
        usage: { input_tokens: 2360, output_tokens: 141, cache_read_tokens: 2048, cache_write_tokens: 300 },
      },
    ])
  })

  test('thinking blocks go back intact with the next request', async () => {
    await using provider = await startFakeModel([
      { recorded: { body: recording('anthropic-thinking-tools') } },
      { text: 'Done.' },
    ])
    const model = claude(provider.url)
    const answer = answerIn(await eventsOf(model, requestOf('Read both')))
    const messages = [userSays('Read both'), answer, ...resultsOf(answer)]
    await eventsOf(model, requestOf('', { messages }))
    expect(provider.requests[1]?.body['messages']).toMatchObject([
      { role: 'user' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'The user wants both files.', signature: 'EqQBCgIYAhIM1gbcDa9GJwZA2b3h' },
          { type: 'redacted_thinking', data: 'EmwKAhgBEgy3va3pzix/LafPsn4a' },
          { type: 'text', text: 'I will read both.' },
          { type: 'tool_use', id: 'toolu_01A', input: { file_path: 'a.txt' } },
          { type: 'tool_use', id: 'toolu_01B', input: { file_path: 'b.txt' } },
        ],
      },
      { role: 'user', content: [{ tool_use_id: 'toolu_01A' }, { tool_use_id: 'toolu_01B' }] },
    ])
  })

  test('the cache is marked after the system prompt, at the end, and where the call before ended', async () => {
    await using provider = await startFakeModel([{ text: 'Done.' }])
    const results = ['call_1', 'call_2'].map((id): ModelMessage => ({
      role: 'tool',
      tool_call_id: id,
      tool_name: 'Read',
      text: id,
      is_error: false,
    }))
    const messages: ModelMessage[] = [
      userSays('First'),
      { role: 'assistant', content: [{ type: 'text', text: 'Answered.' }] },
      userSays('Second'),
      {
        role: 'assistant',
        content: ['call_1', 'call_2'].map((id) => ({ type: 'tool_call' as const, id, name: 'Read', arguments: '{}' })),
      },
      ...results,
    ]
    await eventsOf(claude(provider.url), requestOf('', { messages, tools: [toolNamed('Read')] }))
    expect(marksIn(provider.requests[0]?.body)).toEqual(['system.0', 'messages.2.content.0', 'messages.4.content.1'])
  })

  test('a conversation that another model began is made fit for Claude', async () => {
    await using provider = await startFakeModel([{ text: 'Done.' }])
    const messages: ModelMessage[] = [
      userSays('Go'),
      {
        role: 'assistant',
        content: [
          { type: 'thinking', text: 'Thought elsewhere.', metadata: { reasoning_field: 'reasoning_content' } },
          { type: 'text', text: '' },
          { type: 'tool_call', id: 'functions.Read:0', name: 'Read', arguments: '{"half' },
        ],
      },
      { role: 'tool', tool_call_id: 'functions.Read:0', tool_name: 'Read', text: 'bad arguments', is_error: true },
    ]
    await eventsOf(claude(provider.url), requestOf('', { messages }))
    expect(provider.requests[0]?.body['messages']).toMatchObject([
      { role: 'user' },
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'functions_Read_0', input: { rawInvalidInput: '{"half' } }],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'functions_Read_0', is_error: true }] },
    ])
  })

  test('an overload that is reported inside a good status is a refusal, not a broken answer', async () => {
    const body = 'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n'
    await using provider = await startFakeModel([{ recorded: { body } }])
    expect(await eventsOf(claude(provider.url), requestOf('Hello'))).toMatchObject([
      { type: 'failed', failure: { kind: 'server', incomplete: false } },
    ])
  })

  test('an answer that breaks off still says what its input cost', async () => {
    const usage = { input: 50, output: 9, cacheRead: 1000 }
    await using provider = await startFakeModel([{ text: 'Paris is', hangUp: true, usage }])
    expect((await eventsOf(claude(provider.url), requestOf('Hello'))).at(-1)).toMatchObject({
      type: 'failed',
      usage: { input_tokens: 1050, cache_read_tokens: 1000 },
    })
  })

  test('thinking is asked for as configured, but not together with a forced tool', async () => {
    await using provider = await startFakeModel(() => ({ text: 'Hi' }))
    const model = claude(provider.url, { model: 'claude-sonnet-4-5', reasoning: 'low' })
    await eventsOf(model, requestOf('Hello', { tools: [toolNamed('Read')] }))
    await eventsOf(model, requestOf('Hello', { tools: [toolNamed('Read')], toolChoice: 'required' }))
    const [free, forced] = provider.requests.map(({ body }) => body)
    expect(free).toMatchObject({ thinking: { type: 'enabled' } })
    expect(forced).toMatchObject({ tool_choice: { type: 'any' } })
    expect(forced).not.toHaveProperty('thinking')
  })
})

describe('openai', () => {
  test('reasoning summaries and calls are read from a recorded reply of the responses API', async () => {
    await using provider = await startFakeModel([{ recorded: { body: recording('openai-responses-tool') } }])
    expect(await eventsOf(gpt(provider.url), requestOf('Read it'))).toEqual([
      { type: 'accepted', model: 'gpt' },
      { type: 'thinking', delta: '**Looking at the file**\n\nI should read it.' },
      expect.objectContaining({ type: 'part_end', part: 'thinking' }),
      { type: 'thinking', delta: '**Planning**\n\nThen answer.' },
      {
        type: 'part_end',
        part: 'thinking',
        metadata: { openai: { itemId: 'rs_0b1a', reasoningEncryptedContent: 'gAAAAABfinal' } },
      },
      {
        type: 'tool_call',
        call: { id: 'call_9Zt', name: 'Read', arguments: '{"file_path":"a.txt"}' },
        metadata: { openai: { itemId: 'fc_0b1c' } },
      },
      {
        type: 'finish',
        reason: 'tool_calls',
        usage: { input_tokens: 320, output_tokens: 87, cache_read_tokens: 256 },
      },
    ])
  })

  test('encrypted reasoning goes back, and nothing is stored at the provider', async () => {
    await using provider = await startFakeModel(() => ({ recorded: { body: recording('openai-responses-tool') } }))
    const model = gpt(provider.url)
    const answer = answerIn(await eventsOf(model, requestOf('Read it')))
    await eventsOf(model, requestOf('', { messages: [userSays('Read it'), answer, ...resultsOf(answer)] }))
    expect(provider.requests[1]?.body).toMatchObject({
      store: false,
      input: [
        { role: 'developer' },
        { role: 'user' },
        {
          type: 'reasoning',
          encrypted_content: 'gAAAAABfinal',
          summary: [{ text: '**Looking at the file**\n\nI should read it.' }, { text: '**Planning**\n\nThen answer.' }],
        },
        { type: 'function_call', call_id: 'call_9Zt', name: 'Read' },
        { type: 'function_call_output', call_id: 'call_9Zt', output: 'ok' },
      ],
    })
  })

  test('a refusal of the responses API has its kind', async () => {
    await using provider = await startFakeModel([{ error: { status: 429, retryAfter: 2 } }])
    expect(await eventsOf(gpt(provider.url), requestOf('Hello'))).toMatchObject([
      { type: 'failed', failure: { kind: 'rate_limit', retryAfterMs: 2000, incomplete: false } },
    ])
  })
})

/** Paths of everything in a request that carries a cache mark. */
function marksIn(value: unknown, path: string[] = []): string[] {
  if (typeof value !== 'object' || value === null) return []
  const own = 'cache_control' in value ? [path.join('.')] : []
  return [...own, ...Object.entries(value).flatMap(([name, child]) => marksIn(child, [...path, name]))]
}
