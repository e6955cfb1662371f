import type { ProviderOptions } from './ai-sdk/providers.ts'

/** One model of the configuration. */
export type ModelConfig = {
  /** How sessions name it; unique. */
  id: string
  provider: 'openai-compatible' | 'anthropic' | 'openai' | 'demo'
  /** What people see. Default: the id. */
  name?: string
  /** What the provider calls it. Default: the id. */
  model?: string
  /** Base URL of the API. `openai-compatible` needs one. */
  url?: string
  /** Default for `anthropic` and `openai`: the key from the environment. */
  apiKey?: string
  headers?: Readonly<Record<string, string>>
  /** How hard to think, for `anthropic` and `openai`. Default: the provider's own. */
  reasoning?: NonNullable<ProviderOptions['reasoning']>
  /** Tokens. Default: by the model's name, else 0 (unknown). */
  contextWindow?: number
  supportsVision?: boolean
  supportsThinking?: boolean
  /** Of a million tokens, for estimates. `cached`: of input that came from the provider's cache. Default: as `input`. */
  price?: { input: number; output: number; cached?: number | undefined } | undefined
  /** The environment variables that it comes from, if it does. */
  variables?: { key: string; url?: string; model?: string }
}
