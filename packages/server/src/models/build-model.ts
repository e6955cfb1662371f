import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { Egress } from '../egress/egress.ts'
import type { Trust } from '../egress/policy.ts'
import type { Clock, Model } from '../ports.ts'
import { createAnthropicModel, createOpenAIModel, type ProviderOptions } from './ai-sdk/providers.ts'
import type { AnswerLimits } from './answer-meter.ts'
import { apiUrl } from './api-url.ts'
import { createDemoModel } from './demo/model.ts'
import { ANTHROPIC_URL, OPENAI_URL, type ModelEnvironment } from './from-environment.ts'
import type { ModelConfig } from './model-config.ts'
import { firstModel } from './openai-compatible/first-model.ts'
import type { ModelServer } from './openai-compatible/list-models.ts'
import { createOpenAICompatibleModel } from './openai-compatible/model.ts'

/** What every wire needs, whichever model it is for. */
export type WireOptions = Pick<ModelEnvironment, 'anthropicApiKey' | 'openaiApiKey'> & {
  /** Default 10 000. */
  connectTimeoutMs?: number
  /** The longest silence of a provider. Default 120 000. */
  idleTimeoutMs?: number
  /** What one answer may hold, of whatever model. */
  limits: AnswerLimits
  /** The pace of the demo model. Default 15. */
  demoDelayMs?: number
  /** Every connection goes through it. */
  egress: Pick<Egress, 'check' | 'lookup' | 'fetchFor'>
  sleep: Clock['sleep']
  /** A fresh id for a tool call whose provider gave it none. */
  newCallId: () => string
}

/** They keep connections, for all models alike. */
export type Agents = { 'http:': HttpAgent; 'https:': HttpsAgent }

export function createAgents(egress: WireOptions['egress'], trust: Trust = 'configured'): Agents {
  const lookup = egress.lookup(trust)
  return { 'http:': new HttpAgent({ keepAlive: true, lookup }), 'https:': new HttpsAgent({ keepAlive: true, lookup }) }
}

/** Puts a model on the wire that its provider speaks. Opens no connection. */
export function buildModel(config: ModelConfig, options: WireOptions, agents: Agents): Model {
  switch (config.provider) {
    case 'demo':
      return createDemoModel({ sleep: options.sleep, chunkDelayMs: options.demoDelayMs ?? 15 })
    case 'anthropic':
      return createAnthropicModel(hosted(config, options, { apiKey: options.anthropicApiKey, url: ANTHROPIC_URL }))
    case 'openai':
      return createOpenAIModel(hosted(config, options, { apiKey: options.openaiApiKey, url: OPENAI_URL }))
    default:
      return compatible(config, options, agents)
  }
}

/** Where an OpenAI-compatible model is, to ask its server. */
export function serverOf({ id, url, apiKey }: ModelConfig, options: WireOptions, agents: Agents): ModelServer {
  if (!url) throw new Error(`The model ${id} has no url.`)
  const baseUrl = apiUrl(url)
  const agent = agents[baseUrl.protocol === 'https:' ? 'https:' : 'http:']
  return { id, baseUrl, agent, ...(apiKey ? { apiKey } : {}), timeoutMs: timeouts(options).connectTimeoutMs }
}

/** Where a model is, whoever's it is, to look whether it can be reached; `undefined`: here. */
export function placeOf(config: ModelConfig, options: WireOptions, agents: Agents): ModelServer | undefined {
  const { provider, url, apiKey } = config
  if (provider === 'demo') return undefined
  if (provider === 'openai-compatible') return serverOf(config, options, agents)
  const isAnthropic = provider === 'anthropic'
  const key = apiKey ?? (isAnthropic ? options.anthropicApiKey : options.openaiApiKey) ?? ''
  const place = serverOf(
    { ...config, url: url ?? (isAnthropic ? ANTHROPIC_URL : OPENAI_URL), apiKey: key },
    options,
    agents,
  )
  return isAnthropic ? { ...place, headers: { 'x-api-key': key, 'anthropic-version': '2023-06-01' } } : place
}

type Usual = { apiKey: string | undefined; url: string }

function hosted(config: ModelConfig, options: WireOptions, usual: Usual): ProviderOptions {
  const { id, model = id, apiKey = usual.apiKey ?? '', url = usual.url, headers, reasoning } = config
  return {
    id,
    model,
    apiKey,
    baseUrl: url,
    ...(headers ? { headers } : {}),
    ...(reasoning ? { reasoning } : {}),
    limits: options.limits,
    newCallId: options.newCallId,
    fetchFor: (endpoint) => options.egress.fetchFor(endpoint, timeouts(options)),
  }
}

function compatible(config: ModelConfig, options: WireOptions, agents: Agents): Model {
  const { id, model = id, headers } = config
  const { timeoutMs: connectTimeoutMs, ...server } = serverOf(config, options, agents)
  return createOpenAICompatibleModel({
    ...server,
    model: model || firstModel({ ...server, timeoutMs: connectTimeoutMs }),
    ...(headers ? { headers } : {}),
    limits: options.limits,
    newCallId: options.newCallId,
    connectTimeoutMs,
    idleTimeoutMs: timeouts(options).idleTimeoutMs,
  })
}

function timeouts({ connectTimeoutMs = 10_000, idleTimeoutMs = 120_000 }: WireOptions) {
  return { connectTimeoutMs, idleTimeoutMs }
}
