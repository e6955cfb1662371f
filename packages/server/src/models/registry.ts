import type { ModelSource, ModelTestStep, TestModel } from '@parley/protocol/rest'
import type { Model, ModelEntry, ModelFailure } from '../ports.ts'
import { adviceFor } from './advice-for.ts'
import { buildModel, createAgents, placeOf, serverOf, type WireOptions } from './build-model.ts'
import { DEMO_MODEL_ID } from './demo/model.ts'
import { fromEnvironment, type ModelEnvironment } from './from-environment.ts'
import { factsOf } from './known-models.ts'
import type { ModelConfig } from './model-config.ts'
import type { Trust } from '../egress/policy.ts'
import { readStoredModelId } from '../store/stored-model-id.ts'
import { isModelName } from './openai-compatible/list-models.ts'
import { probeModel } from './probe-model.ts'
import { type StoredEndpoint, storedModel, type StoredModels } from './stored-model.ts'
import { tryEndpoint } from './try-endpoint.ts'
import { type ListChange, watchModels } from './watch-models.ts'
import { type NamedModel, type RetryOptions, withRetries } from './with-retries.ts'

export type ModelsOptions = ModelEnvironment &
  WireOptions & {
    /** From the configuration; they come first. */
    models?: readonly ModelConfig[]
    /** Id of one of the models. */
    defaultModel?: string
    /** Id of the model that answers when another one fails for good. */
    fallbackModel?: string
    /** Models of configurations that lie in the database. */
    stored?: StoredModels
    /** Between 0 and 1. */
    random: () => number
    /** Of every call that failed: why, and who is asked next, if anybody. */
    onFailure?: RetryOptions['onFailure']
  }

/** What runs and sessions need of the models. */
export type KnownModels = Pick<Models, 'default' | 'ids' | 'has' | 'offers' | 'find'>

export type Models = {
  /** In the order to show. The demo model only when there is no other, or when it is configured. */
  readonly models: readonly ModelEntry[]
  /** Id of the model to use when a session names none. */
  readonly default: string
  /** Every id that `has` knows: also those that are only accepted. */
  ids: () => string[]
  has: (id: string) => boolean
  /** Stricter than `has`: also whether a stored configuration has it now. */
  offers: (id: string) => Promise<boolean>
  /** Also one that a server may have which has not said yet what it has: it will say so itself. */
  find: (id: string) => ModelEntry | undefined
  /** Asks an endpoint that somebody wants to store: why it does not work, or `null`. Throws where it may not be asked. */
  tryOut: (
    endpoint: StoredEndpoint & { model?: string | undefined },
    signal: AbortSignal,
  ) => Promise<ModelFailure | null>
  /**
   * Walks the way of a message to a model of the list, or to an address that somebody thinks of adding; with a model, it is
   * asked for a few tokens. `undefined`: there is no such model.
   */
  probe: (target: TestModel, signal: AbortSignal) => Promise<ModelTestStep[] | undefined>
  /** Asks the servers of the environment what they have, now and every few minutes, until `close`. */
  watch: (onChange: (change: ListChange) => void) => void
  /** Closes kept connections. */
  close: () => void
}

/** Builds every model that the configuration and the environment make available. Opens no connection. */
export function createModels(options: ModelsOptions): Models {
  const agents = createAgents(options.egress)
  const strict = createAgents(options.egress, 'chosen')
  const { models: configured = [] } = options
  const found = [...configured, ...fromEnvironment(options, configured.length > 0)]
  if (found.length === 0) demandNoModel(options)
  const configs = uniqueById(
    found.length > 0 ? found : [{ id: DEMO_MODEL_ID, provider: 'demo' as const, name: 'Demo' }],
  )
  const bare = new Map(configs.map((config) => [config.id, buildModel(config, options, agents)]))
  const defaultId = defaultOf(options, configs)
  const fallback = fallbackOf(options, configs, bare)
  const entries = new Map(
    configs.map((config) => [config.id, entryOf({ config, model: bare.get(config.id)!, fallback }, options)]),
  )
  const servers = configs.filter(listsItsModels)
  /** What servers said they have, by the id of the model that we know each server by. */
  const listed = new Map<string, readonly ModelEntry[]>()
  const stopping = new AbortController()

  const entryAt = (server: ModelConfig, model: string) => {
    const { key, url } = server.variables!
    const config = { ...server, id: model, model, variables: { key, ...(url && { url }) } }
    return entryOf({ config, model: buildModel(config, options, agents), fallback }, options)
  }
  // Whoever wrote it into the database is not whoever set the server up: only public addresses, and those that egress allows.
  const buildStored = (id: string, model: string, { url, apiKey }: StoredEndpoint) => {
    options.egress.check(url, 'chosen')
    return buildModel({ id, provider: 'openai-compatible', model, url, apiKey }, options, strict)
  }
  const storedAt = (id: string): ModelEntry | undefined => {
    const { stored } = options
    const named = stored && readStoredModelId(id)
    if (!named) return undefined
    const { model_id } = named
    const config: ModelConfig = { id, provider: 'openai-compatible', name: model_id, model: model_id }
    const model = storedModel({ id, named, stored, build: (endpoint) => buildStored(id, model_id, endpoint) })
    return entryOf({ config, model, fallback: undefined }, options)
  }
  const probeAt = (given: ProbedConfig, trust: Trust, signal: AbortSignal) => {
    const config: ModelConfig = { provider: 'openai-compatible', ...given }
    const name = config.model ?? config.id
    const kept = trust === 'chosen' ? strict : agents
    const server = placeOf(config, options, kept)
    // Of an address alone there is no model to ask.
    const model = trust === 'chosen' && name === '' ? undefined : buildModel(config, options, kept)
    return probeModel({ model, name, ...(server && { server: { ...server, trust } }) }, options.egress, signal)
  }
  const shown = () => configs.flatMap(({ id, model }) => besides(entries.get(id)!, model === '', listed.get(id) ?? []))
  const known = (id: string) => entries.get(id) ?? [...listed.values()].flat().find((entry) => entry.id === id)
  return {
    get models() {
      return shown().filter(({ id }, at, all) => all.findIndex((entry) => entry.id === id) === at)
    },
    get default() {
      const nameless = configs.find(({ id }) => id === defaultId)?.model === ''
      return (nameless && listed.get(defaultId)?.[0]?.id) || defaultId
    },
    ids: () => [...entries.keys(), ...[...listed.values()].flat().map(({ id }) => id)],
    has: (id) => (known(id) ?? storedAt(id)) !== undefined,
    async offers(id) {
      const named = readStoredModelId(id)
      if (!named || !options.stored || known(id)) return known(id) !== undefined
      return (await options.stored.load(named)) !== undefined
    },
    find(id) {
      const silent = servers.find((server) => !listed.has(server.id))
      return known(id) ?? storedAt(id) ?? (silent && isModelName(id) ? entryAt(silent, id) : undefined)
    },
    tryOut({ url, apiKey, model = '' }, signal) {
      const config: ModelConfig = { id: model || 'the server', provider: 'openai-compatible', model, url, apiKey }
      options.egress.check(url, 'chosen')
      const built = model === '' ? undefined : buildModel(config, options, strict)
      return tryEndpoint({ server: serverOf(config, options, strict), model: built }, signal)
    },
    async probe({ model: id = '', url, api_key = '' }, signal) {
      if (url !== undefined)
        return probeAt({ id: id || 'the server', model: id, url, apiKey: api_key }, 'chosen', signal)
      const named = options.stored && !known(id) ? readStoredModelId(id) : undefined
      const endpoint = named && (await options.stored?.load(named))
      if (named && endpoint) return probeAt({ id, model: named.model_id, ...endpoint }, 'chosen', signal)
      const server = [...listed].find(([, models]) => models.some((entry) => entry.id === id))?.[0]
      const config = configs.find((one) => one.id === (server ?? id))
      return config && probeAt(server === undefined ? config : { ...config, id, model: id }, 'configured', signal)
    },
    watch: (onChange) =>
      servers.forEach((server) =>
        watchModels(serverOf(server, options, agents), {
          sleep: options.sleep,
          signal: stopping.signal,
          onChange(change) {
            if (change.models)
              listed.set(
                server.id,
                change.models.filter((model) => !entries.has(model)).map((model) => entryAt(server, model)),
              )
            onChange(change)
          },
        }),
      ),
    close() {
      stopping.abort()
      for (const agent of [...Object.values(agents), ...Object.values(strict)]) agent.destroy()
    },
  }
}

type ProbedConfig = Omit<ModelConfig, 'provider'> & Partial<Pick<ModelConfig, 'provider'>>

/** Those of the environment; who writes a list into the configuration has chosen. */
function listsItsModels({ provider, variables }: ModelConfig): boolean {
  return provider === 'openai-compatible' && variables !== undefined
}

/** A model that stands for "whichever the server has" gives way to those that have names. */
function besides(entry: ModelEntry, isNameless: boolean, others: readonly ModelEntry[]): readonly ModelEntry[] {
  return isNameless && others.length > 0 ? others : [entry, ...others]
}

/** The demo model must not answer in the name of another. */
function demandNoModel({ model }: ModelsOptions): void {
  if (model === undefined || model === DEMO_MODEL_ID) return
  throw new Error(
    `PARLEY_MODEL names ${model}, but nobody offers it. Say who does: PARLEY_MODEL_URL for an OpenAI-compatible server, or ANTHROPIC_API_KEY or OPENAI_API_KEY.`,
  )
}

/** What is configured hides what the environment offers under the same name. */
function uniqueById(configs: readonly ModelConfig[]): ModelConfig[] {
  return configs.filter((config, at) => configs.findIndex(({ id }) => id === config.id) === at)
}

/** The configuration's word, else PARLEY_MODEL among what is configured, else the first there is. */
function defaultOf({ model, modelUrl, defaultModel, models }: ModelsOptions, configs: readonly ModelConfig[]): string {
  const wanted = defaultModel ?? (models?.length && !modelUrl ? model : undefined) ?? configs[0]?.id ?? DEMO_MODEL_ID
  if (configs.some(({ id }) => id === wanted)) return wanted
  throw new Error(`The default model ${wanted} is none of: ${configs.map(({ id }) => id).join(', ')}.`)
}

function fallbackOf(
  { fallbackModel }: ModelsOptions,
  configs: readonly ModelConfig[],
  bare: ReadonlyMap<string, Model>,
): NamedModel | undefined {
  if (fallbackModel === undefined) return undefined
  const config = configs.find(({ id }) => id === fallbackModel)
  if (config) return { id: fallbackModel, model: bare.get(fallbackModel) as Model, advice: adviceFor(config) }
  throw new Error(`The fallback model ${fallbackModel} is none of: ${[...bare.keys()].join(', ')}.`)
}

type Bare = { config: ModelConfig; model: Model; fallback: NamedModel | undefined }

/** A model as sessions get it: it asks again, and says what is known of it. */
function entryOf({ config, model, fallback }: Bare, options: ModelsOptions): ModelEntry {
  const { id, name = id } = config
  const facts = factsOf(config.model || id)
  return {
    id,
    name,
    contextWindow: config.contextWindow ?? facts.contextWindow,
    supportsVision: config.supportsVision ?? facts.supportsVision,
    supportsThinking: config.supportsThinking ?? facts.supportsThinking,
    source: sourceOf(config),
    model: resilient({ config, model, fallback }, options),
  }
}

function sourceOf({ provider, variables }: ModelConfig): ModelSource {
  if (variables === undefined) return { from: provider === 'demo' ? 'demo' : 'configuration' }
  const { key, url } = variables
  return { from: 'environment', variable: provider === 'openai-compatible' ? (url ?? key) : key }
}

function resilient({ config, model, fallback }: Bare, { sleep, random, onFailure }: ModelsOptions): Model {
  const { id, provider } = config
  if (provider === 'demo') return model
  return withRetries(
    { id, model, advice: adviceFor(config) },
    { sleep, random, ...(onFailure && { onFailure }), ...(fallback && fallback.id !== id ? { fallback } : {}) },
  )
}
