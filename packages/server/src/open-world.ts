import { randomBytes, randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { Logger } from 'pino'
import type { OpenAgents } from './agents/open-agents.ts'
import { createSeal } from './auth/seal.ts'
import type { Secret } from './auth/secret.ts'
import { isOwner } from './auth/users.ts'
import { clock, ids } from './clock-and-ids.ts'
import { ConfigError } from './config/load-config.ts'
import type { ServerConfig } from './config/options.ts'
import type { Egress } from './egress/egress.ts'
import type { World } from './feature.ts'
import type { KnownModels } from './models/registry.ts'
import { openEmbedder } from './relevance/embedder.ts'
import type { Engine } from './store/engine.ts'
import { InstanceWatch } from './store/instances.ts'
import type { Journal } from './store/journal.ts'
import { Workspaces } from './workspace/workspaces.ts'

export type WorldOptions = {
  agents: OpenAgents
  models: KnownModels
  config: ServerConfig
  engine: Engine
  journal: Journal
  logger: Logger
  version: string
  secret: Secret
  address: Promise<string>
  egress: Egress
}

/** What features, runs and sessions stand on: the models, the other instances, the workspaces. */
export function openWorld(
  { config, engine, journal, logger, version, secret, address, egress, agents, models }: WorldOptions,
  parts: AsyncDisposableStack,
): World {
  const instance = `${hostname()}:${process.pid}:${randomUUID()}`
  const instances = parts.use(
    new InstanceWatch({
      engine,
      leaseMs: config.leaseMs,
      monotonicNow: () => clock.elapsed(),
      onError: (error) => logger.warn({ err: error }, 'other instances could not be looked at'),
    }),
  )
  const workspaces = new Workspaces(config.dataDir)
  const embedder = embedderOf(config, egress)
  return {
    ...{ config, engine, journal, egress, logger, clock, ids, instance, instances, version, address, workspaces },
    embedder,
    agents,
    sealFor: (purpose) => createSeal(secret.key(purpose), randomBytes),
    modelOf: (id) => (models.find(id ?? models.default) ?? models.find(models.default)!).model,
    hasModel: (id) => models.find(id) !== undefined,
    offersModel: models.offers,
    isOwner: (user_id) => isOwner(engine, user_id),
    tell: (session_id, type, payload) =>
      void journal
        .append(session_id, null, [{ type, data: JSON.stringify(payload), run_id: null, loop_id: null, turn_id: null }])
        .catch((error: unknown) => logger.warn({ err: error, session_id }, `${type} could not be told`)),
  }
}

function embedderOf({ embeddingsUrl: url, embeddingsModel: model, embeddingsKey: key }: ServerConfig, egress: Egress) {
  if (url === undefined) return undefined
  if (model === undefined)
    throw new ConfigError('embeddingsUrl (PARLEY_EMBEDDINGS_URL) needs embeddingsModel (PARLEY_EMBEDDINGS_MODEL).')
  return openEmbedder({ url, model, key, egress })
}
