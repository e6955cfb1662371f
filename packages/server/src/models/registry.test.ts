import { startFakeModel } from '@parley/testkit'
import { expect, test } from 'vitest'
import { createEgress } from '../egress/egress.ts'
import type { Model } from '../ports.ts'
import { apiUrl } from './api-url.ts'
import { eventsOf, LIMITS, requestOf } from './fixtures/ask.ts'
import { createModels, type ModelsOptions } from './registry.ts'

function modelsOf(options: Partial<ModelsOptions> = {}) {
  return createModels({
    egress: createEgress(),
    sleep: async () => undefined,
    random: () => 0,
    limits: LIMITS,
    newCallId: () => 'call_made_up',
    demoDelayMs: 0,
    ...options,
  })
}

/** The model that answers by default. */
function defaultOf(options: Partial<ModelsOptions>): Model {
  const { models, default: id } = modelsOf(options)
  const entry = models.find((model) => model.id === id)
  if (!entry) throw new Error(`${id} is not listed`)
  return entry.model
}

const ids = (options: Partial<ModelsOptions>) => modelsOf(options).models.map(({ id }) => id)

test('with nothing configured there is the demo model and nothing else', () => {
  const { models, default: chosen } = modelsOf({ model: 'demo' })
  expect(models).toMatchObject([{ id: 'demo', contextWindow: 0 }])
  expect(chosen).toBe('demo')
})

const LOCAL = { modelUrl: 'http://localhost:11434/v1' }
const ANTHROPIC = { anthropicApiKey: 'a' }
const OPENAI = { openaiApiKey: 'o' }
const CONFIGURED = {
  models: [
    { id: 'house', provider: 'openai-compatible' as const, url: 'http://house.test/v1' },
    { id: 'garden', provider: 'openai-compatible' as const, url: 'http://garden.test/v1' },
  ],
}

test.each<[string, Partial<ModelsOptions>]>([
  ['house', { ...CONFIGURED, ...LOCAL, ...ANTHROPIC, ...OPENAI }],
  ['garden', { ...CONFIGURED, ...ANTHROPIC, defaultModel: 'garden' }],
  ['garden', { ...CONFIGURED, ...ANTHROPIC, model: 'garden' }],
  ['house', { ...CONFIGURED, ...LOCAL, model: 'qwen3' }],
  ['local', { ...LOCAL, ...ANTHROPIC, ...OPENAI }],
  ['qwen3', { ...LOCAL, ...ANTHROPIC, model: 'qwen3' }],
  ['claude-sonnet-5-5', { ...ANTHROPIC, ...OPENAI }],
  ['claude-opus-4-1', { ...ANTHROPIC, ...OPENAI, model: 'claude-opus-4-1' }],
  ['gpt-5.6', OPENAI],
  ['gpt-4o', { ...OPENAI, model: 'gpt-4o' }],
  ['openai', { ...OPENAI, openaiBaseUrl: 'https://gateway.test/v1' }],
  ['gpt-5.6', { ...OPENAI, openaiBaseUrl: 'https://api.openai.com/v1/' }],
])('the default is %s for %o', (expected, options) => {
  expect(modelsOf(options).default).toBe(expected)
})

test('everything that is there is listed, the configured ones first, each id once', () => {
  const listed = ids({ ...CONFIGURED, ...LOCAL, ...ANTHROPIC, ...OPENAI, model: 'house' })
  expect(listed).toEqual([
    'house',
    'garden',
    'claude-sonnet-5-5',
    'claude-opus-5-5',
    'claude-haiku-5-5',
    'gpt-5.6',
    'gpt-5.4-mini',
  ])
})

test('a default or a fallback that does not exist stops the start and names what does', () => {
  expect(() => modelsOf({ ...CONFIGURED, defaultModel: 'shed' })).toThrow('shed is none of: house, garden.')
  expect(() => modelsOf({ ...CONFIGURED, model: 'shed' })).toThrow('shed is none of')
  expect(() => modelsOf({ ...CONFIGURED, fallbackModel: 'shed' })).toThrow('shed is none of')
})

test('a compatible model without an address stops the start', () => {
  expect(() => modelsOf({ models: [{ id: 'x', provider: 'openai-compatible' }] })).toThrow('The model x has no url.')
})

test.each([
  { model: 'claude-sonnet-5-5', contextWindow: 200_000, supportsVision: true, supportsThinking: true },
  { model: 'deepseek/deepseek-chat', contextWindow: 131_072, supportsVision: false, supportsThinking: false },
  { model: 'gpt-4o-mini', contextWindow: 128_000, supportsVision: true, supportsThinking: false },
  { model: 'gpt-4-0613', contextWindow: 8_192, supportsVision: false, supportsThinking: false },
  { model: 'Qwen/Qwen3-32B', contextWindow: 131_072, supportsVision: false, supportsThinking: true },
  { model: 'my-own-model', contextWindow: 0, supportsVision: false, supportsThinking: false },
])('$model is known by its name', ({ model, ...known }) => {
  const [entry] = modelsOf({ ...LOCAL, model }).models
  expect(entry).toMatchObject({ id: model, name: model, ...known })
})

test('what the configuration says about a model counts more than its name', () => {
  const config = {
    id: 'gpt-4o',
    provider: 'openai' as const,
    name: 'Our GPT',
    contextWindow: 1000,
    supportsVision: false,
  }
  expect(modelsOf({ models: [config] }).models[0]).toMatchObject({
    name: 'Our GPT',
    contextWindow: 1000,
    supportsVision: false,
  })
})

test.each([
  ['http://localhost:11434', 'http://localhost:11434/v1'],
  ['http://localhost:11434/', 'http://localhost:11434/v1'],
  ['https://api.deepseek.com/v1/', 'https://api.deepseek.com/v1'],
  ['https://open.bigmodel.cn/api/paas/v4', 'https://open.bigmodel.cn/api/paas/v4'],
  ['http://host/v1/chat/completions', 'http://host/v1'],
])('the address %s means %s', (given, meant) => {
  expect(apiUrl(given).href).toBe(meant)
})

test('an address that is not http stops the start', () => {
  expect(() => apiUrl('file:///etc/passwd')).toThrow('no http address')
})

test('a local server is asked with its own key and model', async () => {
  await using provider = await startFakeModel(() => ({ text: 'Hi' }))
  const model = defaultOf({ modelUrl: provider.url, model: 'qwen3', modelKey: 'k-123' })
  expect((await eventsOf(model, requestOf('Hello')))[0]).toEqual({ type: 'accepted', model: 'qwen3' })
  expect(provider.requests[0]).toMatchObject({ model: 'qwen3', headers: { authorization: 'Bearer k-123' } })
})

test('a local server whose model nobody named is asked for one', async () => {
  await using provider = await startFakeModel(() => ({ text: 'Hi' }))
  const events = await eventsOf(defaultOf({ modelUrl: provider.url }), requestOf('Hello'))
  expect(events[0]).toEqual({ type: 'accepted', model: 'local' })
  expect(provider.requests[0]?.model).toBe('fake-model')
})

test('OPENAI_BASE_URL somewhere else speaks chat completions', async () => {
  await using provider = await startFakeModel(() => ({ text: 'Hi' }))
  const model = defaultOf({ openaiApiKey: 'o-key', openaiBaseUrl: provider.url, model: 'deepseek-chat' })
  await eventsOf(model, requestOf('Hello'))
  const headers = { authorization: 'Bearer o-key' }
  expect(provider.requests[0]).toMatchObject({ path: '/v1/chat/completions', model: 'deepseek-chat', headers })
})

test('a configured Anthropic model uses its own address and name, and the key of the environment', async () => {
  await using provider = await startFakeModel(() => ({ text: 'Hi' }))
  const config = { id: 'helper', provider: 'anthropic' as const, model: 'claude-haiku-4-5', url: provider.url }
  const model = defaultOf({ models: [config], anthropicApiKey: 'a-key' })
  expect((await eventsOf(model, requestOf('Hello')))[0]).toEqual({ type: 'accepted', model: 'helper' })
  expect(provider.requests[0]).toMatchObject({ model: 'claude-haiku-4-5', headers: { 'x-api-key': 'a-key' } })
})

test('the fallback model answers for another one, and not for itself', async () => {
  await using broken = await startFakeModel(() => ({ error: { status: 401 } }))
  await using sound = await startFakeModel(() => ({ text: 'Hi' }))
  const one = { id: 'one', provider: 'openai-compatible' as const, url: broken.url }
  const two = { id: 'two', provider: 'openai-compatible' as const, url: sound.url }
  const helped = await eventsOf(defaultOf({ models: [one, two], fallbackModel: 'two' }), requestOf('Hello'))
  expect(helped).toMatchObject([{ type: 'retry' }, { type: 'accepted', model: 'two' }, {}, {}, { type: 'finish' }])
  const alone = await eventsOf(defaultOf({ models: [one, two], fallbackModel: 'one' }), requestOf('Hello'))
  expect(alone).toMatchObject([{ type: 'failed', failure: { kind: 'auth' } }])
})

test('closing lets go of the kept connections', async () => {
  await using provider = await startFakeModel(() => ({ text: 'Hi' }))
  const { models, close } = modelsOf({ modelUrl: provider.url, model: 'qwen3' })
  for (const { model } of models) await eventsOf(model, requestOf('Hello'))
  await provider.requests[0]?.closed
  expect(await provider.connections()).toBe(1)
  close()
  await expect.poll(provider.connections).toBe(0)
})

test('a model that nobody offers stops the start, and the demo does not answer in its place', () => {
  expect(() => modelsOf({ model: 'qwen3' })).toThrow(/PARLEY_MODEL names qwen3.*PARLEY_MODEL_URL/)
})

const REFUSED = { status: 401, body: '{"error":{"message":"bad key"}}' }
const NOT_THERE = { status: 404, body: '{"error":{"message":"no such model"}}' }
const V1 = 'Does the address end in /v1?'
const PAGE = { contentType: 'text/html', body: '<!doctype html><title>Hello</title> billing' }

type Recorded = { status?: number; body: string; contentType?: string }

test.each<{ what: string; options: Partial<ModelsOptions>; recorded: Recorded; advice: string }>([
  { what: 'a key', options: { modelKey: 'k' }, recorded: REFUSED, advice: 'Look at PARLEY_MODEL_KEY.' },
  { what: 'a model', options: {}, recorded: NOT_THERE, advice: 'Look at PARLEY_MODEL_URL and PARLEY_MODEL.' },
  { what: 'an address', options: {}, recorded: PAGE, advice: `${V1} Look at PARLEY_MODEL_URL and PARLEY_MODEL.` },
  {
    what: 'an address',
    options: {},
    recorded: { ...PAGE, status: 404 },
    advice: `${V1} Look at PARLEY_MODEL_URL`,
  },
])('a failure that $what makes names the variable: $recorded', async ({ options, recorded, advice }) => {
  await using provider = await startFakeModel(() => ({ recorded }))
  expect(await messageOf({ modelUrl: provider.url, model: 'm', ...options })).toContain(advice)
})

test('a failure names the variable that the key or the address came from', async () => {
  await using provider = await startFakeModel(() => ({ recorded: REFUSED }))
  const { url } = provider
  const openai = { openaiApiKey: 'o', openaiBaseUrl: url }
  expect(await messageOf(openai)).toContain('Look at OPENAI_API_KEY.')
  expect(await messageOf({ ...openai, modelKey: 'k' })).toContain('Look at PARLEY_MODEL_KEY.')
  const house = { id: 'house', provider: 'openai-compatible' as const, url, apiKey: 'k' }
  expect(await messageOf({ models: [house] })).toContain('Look at `apiKey` of the model house in the configuration.')
  const claude = { id: 'claude-x', provider: 'anthropic' as const, url }
  expect(await messageOf({ models: [claude], anthropicApiKey: 'a' })).toContain('Look at ANTHROPIC_API_KEY.')
  expect(await messageOf({ modelUrl: 'http://127.0.0.1:1/v1', model: 'm' })).toContain('Look at PARLEY_MODEL_URL.')
})

test('a page of a gateway that failed says nothing about addresses', async () => {
  const recorded = { status: 502, contentType: 'text/html', body: '<html><h1>502 Bad Gateway</h1></html>' }
  await using provider = await startFakeModel(() => ({ recorded }))
  const message = await messageOf({ modelUrl: provider.url, model: 'm' })
  expect(message).toContain('(HTTP 502): it sent a web page')
  expect(message).not.toContain('/v1')
})

/** How the default model fails. */
async function messageOf(options: Partial<ModelsOptions>): Promise<string> {
  const last = (await eventsOf(defaultOf(options), requestOf('Hello'))).at(-1)
  return last?.type === 'failed' ? last.failure.message : JSON.stringify(last)
}
