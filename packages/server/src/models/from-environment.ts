import type { ModelConfig } from './model-config.ts'

/** What the environment says about models, under the names that it has there. */
export type ModelEnvironment = {
  /** `ANTHROPIC_API_KEY` */
  anthropicApiKey?: string
  /** `OPENAI_API_KEY` */
  openaiApiKey?: string
  /** `OPENAI_BASE_URL`: somewhere else than OpenAI it is spoken to as any compatible server. */
  openaiBaseUrl?: string
  /** `PARLEY_MODEL_URL`: an OpenAI-compatible server. */
  modelUrl?: string
  /** `PARLEY_MODEL`: id of the default model, whosever it is. */
  model?: string
  /** `PARLEY_MODEL_KEY`: its key. */
  modelKey?: string
}

export const ANTHROPIC_URL = 'https://api.anthropic.com/v1'
export const OPENAI_URL = 'https://api.openai.com/v1'

/** How sessions name the model of `PARLEY_MODEL_URL` when `PARLEY_MODEL` does not. */
export const NAMELESS_MODEL_ID = 'local'

/** The first of a list is the default of its provider. */
const ANTHROPIC_MODELS = [
  { id: 'claude-sonnet-5-5', name: 'Claude Sonnet 5.5' },
  { id: 'claude-opus-5-5', name: 'Claude Opus 5.5' },
  { id: 'claude-haiku-5-5', name: 'Claude Haiku 5.5' },
]
const OPENAI_MODELS = [
  { id: 'gpt-5.6', name: 'GPT-5.6' },
  { id: 'gpt-5.4-mini', name: 'GPT-5.4 mini' },
]

/**
 * The models that the environment offers, the most specific first. `PARLEY_MODEL` and `PARLEY_MODEL_KEY` belong to
 * `PARLEY_MODEL_URL`; without that, and with nothing configured, to the first offer.
 */
export function fromEnvironment(environment: ModelEnvironment, isConfigured: boolean): ModelConfig[] {
  const { modelUrl, anthropicApiKey, openaiApiKey, openaiBaseUrl, model, modelKey } = environment
  const isOpenAIDefault = !isConfigured && !modelUrl && !anthropicApiKey
  const isAnthropicDefault = !isConfigured && !modelUrl
  const offers: ModelConfig[] = []
  const named = model === undefined ? {} : { model: 'PARLEY_MODEL' }
  if (modelUrl) {
    const variables = { key: 'PARLEY_MODEL_KEY', url: 'PARLEY_MODEL_URL', model: 'PARLEY_MODEL' }
    offers.push(compatible(NAMELESS_MODEL_ID, modelUrl, { model, apiKey: modelKey, variables }))
  }
  if (anthropicApiKey) {
    const own = isAnthropicDefault ? { model, apiKey: modelKey ?? anthropicApiKey } : { apiKey: anthropicApiKey }
    const key = isAnthropicDefault && modelKey ? 'PARLEY_MODEL_KEY' : 'ANTHROPIC_API_KEY'
    const variables = { key, ...(isAnthropicDefault && named) }
    offers.push(...hosted('anthropic', ANTHROPIC_MODELS, { ...own, variables }))
  }
  if (openaiApiKey) {
    const own = isOpenAIDefault ? { model, apiKey: modelKey ?? openaiApiKey } : { apiKey: openaiApiKey }
    const key = isOpenAIDefault && modelKey ? 'PARLEY_MODEL_KEY' : 'OPENAI_API_KEY'
    const variables = { key, ...(openaiBaseUrl && { url: 'OPENAI_BASE_URL' }), ...(isOpenAIDefault && named) }
    if (openaiBaseUrl && !isOpenAI(openaiBaseUrl))
      offers.push(compatible('openai', openaiBaseUrl, { ...own, variables }))
    else offers.push(...hosted('openai', OPENAI_MODELS, { ...own, variables }))
  }
  return offers
}

type Own = {
  model?: string | undefined
  apiKey?: string | undefined
  variables: NonNullable<ModelConfig['variables']>
}

/** Without a name for its model, the server itself is asked for one at the first call. */
function compatible(id: string, url: string, { model, apiKey, variables }: Own): ModelConfig {
  const key = apiKey ? { apiKey } : {}
  return { id: model ?? id, provider: 'openai-compatible', url, model: model ?? '', ...key, variables }
}

type Known = readonly { id: string; name: string }[]

function hosted(provider: 'anthropic' | 'openai', known: Known, own: Own): ModelConfig[] {
  const { model, apiKey = '', variables } = own
  const first = known.find(({ id }) => id === model) ?? (model ? { id: model } : undefined)
  const others = known.filter(({ id }) => id !== model)
  return [...(first ? [first] : []), ...others].map((each) => ({ ...each, provider, apiKey, variables }))
}

function isOpenAI(url: string): boolean {
  return new URL(url).hostname === new URL(OPENAI_URL).hostname
}
