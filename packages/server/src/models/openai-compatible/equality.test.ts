import { readdirSync } from 'node:fs'
import { Agent } from 'node:http'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { startFakeModel } from '@parley/testkit'
import { describe, expect, test } from 'vitest'
import type { JsonObject, Model, ModelEvent } from '../../ports.ts'
import { createAiSdkModel } from '../ai-sdk/model.ts'
import { eventsOf, LIMITS, recording, requestOf, toolNamed, userSays } from '../fixtures/ask.ts'
import { createOpenAICompatibleModel } from './model.ts'

function leanModel(url: string): Model {
  return createOpenAICompatibleModel({
    id: 'model-x',
    model: 'model-x',
    baseUrl: new URL(url),
    agent: new Agent({ keepAlive: true }),
    connectTimeoutMs: 5000,
    idleTimeoutMs: 5000,
    limits: LIMITS,
    newCallId: () => 'call_made_up',
  })
}

function providerModel(url: string): Model {
  const provider = createOpenAICompatible({ name: 'reference', baseURL: url, includeUsage: true })
  return createAiSdkModel({
    id: 'model-x',
    secret: '',
    limits: LIMITS,
    newCallId: () => 'call_made_up',
    load: async () => provider.languageModel('model-x'),
  })
}

/** The two keep what has to go back under names of their own. */
function withoutOwnNames(event: ModelEvent): ModelEvent {
  if (event.type !== 'part_end' && event.type !== 'tool_call') return event
  const { metadata, ...rest } = event
  const signature =
    (metadata?.['extra_content'] as JsonObject | undefined)?.['google'] ?? metadata?.['reference'] ?? undefined
  const value = Object.values((signature ?? {}) as JsonObject)[0]
  return value === undefined ? rest : { ...rest, metadata: { signature: value } }
}

const RECORDINGS = readdirSync(new URL('../fixtures/', import.meta.url))
  .filter((name) => name.endsWith('.sse') && !/^anthropic|^openai-responses/.test(name))
  .map((name) => name.replace('.sse', ''))

describe('the lean wire and the provider package agree', () => {
  test.each(RECORDINGS)('on the recorded reply %s', async (name) => {
    await using provider = await startFakeModel(() => ({ recorded: { body: recording(name) } }))
    const lean = await eventsOf(leanModel(provider.url), requestOf('Hello'))
    const reference = await eventsOf(providerModel(provider.url), requestOf('Hello'))
    expect(lean.length).toBeGreaterThan(0)
    expect(lean.map(withoutOwnNames)).toEqual(reference.map(withoutOwnNames))
  })

  test.each(RECORDINGS)('on the recorded reply %s when it arrives in torn pieces', async (name) => {
    const body = recording(name)
    await using provider = await startFakeModel((request) => ({
      recorded: { body: request.question === 'whole' ? body : pieces(body) },
      ...(request.question === 'whole' ? {} : { chunkDelayMs: 1 }),
    }))
    const whole = await eventsOf(leanModel(provider.url), requestOf('whole'))
    expect(await eventsOf(leanModel(provider.url), requestOf('in pieces'))).toEqual(whole)
  })

  test.each([
    ['a cut connection', { text: 'Paris is', hangUp: true }],
    ['a cut inside a tool call', { text: 'Reading', calls: [{ name: 'Read', arguments: '{"file' }], hangUp: true }],
    ['a status of 500', { error: { status: 500 } }],
    ['a status of 429', { error: { status: 429, retryAfter: 3 } }],
    ['a status of 400', { error: { status: 400, overflow: true } }],
  ])('on %s', async (_name, reply) => {
    await using provider = await startFakeModel(() => reply)
    const lean = await eventsOf(leanModel(provider.url), requestOf('Hello'))
    const reference = await eventsOf(providerModel(provider.url), requestOf('Hello'))
    const kinds = (events: ModelEvent[]) =>
      events.map((event) =>
        event.type === 'failed' ? { ...event, failure: { ...event.failure, message: '' } } : withoutOwnNames(event),
      )
    expect(kinds(lean)).toEqual(kinds(reference))
  })

  test('on the request that they send for the same conversation', async () => {
    await using provider = await startFakeModel(() => ({ text: 'Done.' }))
    const image = { type: 'image' as const, url: 'data:image/png;base64,iVBORw0KGgo=', media_type: 'image/png' }
    const request = requestOf('', {
      tools: [toolNamed('Read'), toolNamed('Write')],
      toolChoice: 'required',
      maxOutputTokens: 99,
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Look' }, image] },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', text: 'Hm.', metadata: { reasoning_field: 'reasoning_content' } },
            { type: 'tool_call', id: 'call_1', name: 'Read', arguments: '{"file_path":"a"}' },
          ],
        },
        { role: 'tool', tool_call_id: 'call_1', tool_name: 'Read', text: 'no such file', is_error: true },
        { role: 'assistant', content: [{ type: 'text', text: 'It is not there.' }] },
        userSays('Thanks'),
      ],
    })
    await eventsOf(leanModel(provider.url), request)
    await eventsOf(providerModel(provider.url), request)
    expect(provider.requests[0]?.body).toEqual(provider.requests[1]?.body)
  })
})

/** Cut without regard for characters, lines and events. */
function pieces(text: string): Uint8Array[] {
  const bytes = Buffer.from(text)
  return Array.from({ length: Math.ceil(bytes.length / 97) }, (_, at) => bytes.subarray(at * 97, at * 97 + 97))
}
