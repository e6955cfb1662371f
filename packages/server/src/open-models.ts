import type { Logger } from 'pino'
import { clock, ids } from './clock-and-ids.ts'
import { ConfigError } from './config/load-config.ts'
import type { ServerConfig } from './config/options.ts'
import type { Egress } from './egress/egress.ts'
import { logModelFailure } from './log-model-failure.ts'
import { createModels, type Models } from './models/registry.ts'
import type { StoredModels } from './models/stored-model.ts'
import type { Clock } from './ports.ts'

export type OpenModelsOptions = { config: ServerConfig; egress: Egress; logger: Logger; stored?: StoredModels }

export function openModels({ config, egress, logger, stored }: OpenModelsOptions): Models {
  const newCallId = () => ids.next('call')
  const sleep: Clock['sleep'] = (ms, signal) => clock.sleep(ms, signal)
  try {
    return createModels({
      ...modelOptions(config),
      limits: config.answerLimits,
      egress,
      ...(stored && { stored }),
      sleep,
      random: Math.random,
      newCallId,
      onFailure: (failure, next) => logModelFailure(failure, next, { logger, language: config.language }),
    })
  } catch (error) {
    // Nothing was contacted yet: what is wrong is what the configuration says.
    throw new ConfigError(`The models cannot be set up: ${(error as Error).message}`, { cause: error })
  }
}

function modelOptions({
  modelUrl,
  model,
  modelKey,
  anthropicApiKey,
  openaiApiKey,
  openaiBaseUrl,
  models,
  fallbackModel,
}: ServerConfig) {
  const said = { modelUrl, model, modelKey, anthropicApiKey, openaiApiKey, openaiBaseUrl, models, fallbackModel }
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined)) as Partial<
    Parameters<typeof createModels>[0]
  >
}
