import type { Model } from '../../ports.ts'
import type { AiSdkOptions } from './model.ts'
import { createAiSdkModel } from './model.ts'

export type ProviderOptions = {
  id: string
  /** The provider's id of the model. */
  model: string
  apiKey: string
  /** Always given: left out, the packages would look for one in the environment. */
  baseUrl: string
  headers?: Readonly<Record<string, string>>
  reasoning?: NonNullable<AiSdkOptions['reasoning']>
  connectTimeoutMs: number
  idleTimeoutMs: number
}

/** Claude over the Messages API, with prompt caching. */
export function createAnthropicModel(options: ProviderOptions): Model {
  return createAiSdkModel({
    ...common(options),
    cacheMark: { anthropic: { cacheControl: { type: 'ephemeral' } } },
    async load() {
      const { createAnthropic } = await import('@ai-sdk/anthropic')
      return createAnthropic(await settings(options)).languageModel(options.model)
    },
  })
}

/** OpenAI over the Responses API. Nothing is stored there: what it thought comes to us encrypted and goes back. */
export function createOpenAIModel(options: ProviderOptions): Model {
  return createAiSdkModel({
    ...common(options),
    providerOptions: { openai: { store: false } },
    async load() {
      const { createOpenAI } = await import('@ai-sdk/openai')
      return createOpenAI(await settings(options)).responses(options.model)
    },
  })
}

function common({ id, apiKey, reasoning }: ProviderOptions) {
  return { id, secret: apiKey, ...(reasoning ? { reasoning } : {}) }
}

async function settings({ apiKey, baseUrl, headers, connectTimeoutMs, idleTimeoutMs }: ProviderOptions) {
  const { Agent, fetch } = await import('undici')
  const dispatcher = new Agent({
    connect: { timeout: connectTimeoutMs },
    headersTimeout: idleTimeoutMs,
    bodyTimeout: idleTimeoutMs,
  })
  // undici's fetch takes a dispatcher, the built-in one only a dispatcher of its own version; the types differ in name.
  const fetchWithTimeouts = (input: unknown, init: object = {}) =>
    fetch(input as Parameters<typeof fetch>[0], { ...init, dispatcher })
  return {
    apiKey,
    baseURL: baseUrl,
    fetch: fetchWithTimeouts as unknown as typeof globalThis.fetch,
    ...(headers ? { headers: { ...headers } } : {}),
  }
}
