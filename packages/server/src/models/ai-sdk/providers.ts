import type { Model } from '../../ports.ts'
import { boundAnswers } from './bound-answers.ts'
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
  limits: AiSdkOptions['limits']
  newCallId: () => string
  /** Connects to the endpoint, with its time limits. */
  fetchFor: (endpoint: string) => typeof fetch
}

/** Claude over the Messages API, with prompt caching. */
export function createAnthropicModel(options: ProviderOptions): Model {
  return createAiSdkModel({
    ...common(options),
    cacheMark: { anthropic: { cacheControl: { type: 'ephemeral' } } },
    async load() {
      const { createAnthropic } = await import('@ai-sdk/anthropic')
      return createAnthropic(settings(options)).languageModel(options.model)
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
      return createOpenAI(settings(options)).responses(options.model)
    },
  })
}

function common({ id, apiKey, limits, newCallId, reasoning }: ProviderOptions) {
  return { id, secret: apiKey, limits, newCallId, ...(reasoning ? { reasoning } : {}) }
}

function settings({ apiKey, baseUrl, headers, fetchFor }: ProviderOptions) {
  return {
    apiKey,
    baseURL: baseUrl,
    fetch: boundAnswers(fetchFor(baseUrl)),
    ...(headers ? { headers: { ...headers } } : {}),
  }
}
