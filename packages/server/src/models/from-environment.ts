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
  if (modelUrl) offers.push(compatible('local', modelUrl, { model, apiKey: modelKey }))
  if (anthropicApiKey) {
    const own = isAnthropicDefault ? { model, apiKey: modelKey ?? anthropicApiKey } : { apiKey: anthropicApiKey }
    offers.push(...hosted('anthropic', ANTHROPIC_MODELS, own))
  }
  if (openaiApiKey) {
    const own = isOpenAIDefault ? { model, apiKey: modelKey ?? openaiApiKey } : { apiKey: openaiApiKey }
    if (openaiBaseUrl && !isOpenAI(openaiBaseUrl)) offers.push(compatible('openai', openaiBaseUrl, own))
    else offers.push(...hosted('openai', OPENAI_MODELS, own))
  }
  return offers
}

type Own = { model?: string | undefined; apiKey?: string | undefined }

/** Without a name for its model, the server itself is asked for one at the first call. */
function compatible(id: string, url: string, { model, apiKey }: Own): ModelConfig {
  return { id: model ?? id, provider: 'openai-compatible', url, model: model ?? '', ...(apiKey ? { apiKey } : {}) }
}

type Known = readonly { id: string; name: string }[]

function hosted(provider: 'anthropic' | 'openai', known: Known, { model, apiKey = '' }: Own): ModelConfig[] {
  const first = known.find(({ id }) => id === model) ?? (model ? { id: model } : undefined)
  const others = known.filter(({ id }) => id !== model)
  return [...(first ? [first] : []), ...others].map((each) => ({ ...each, provider, apiKey }))
}

function isOpenAI(url: string): boolean {
  return new URL(url).hostname === new URL(OPENAI_URL).hostname
}
