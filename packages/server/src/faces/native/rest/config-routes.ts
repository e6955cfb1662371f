import type { ModelsConfig, ServerConfig } from '@parley/protocol/rest'
import type { FastifyInstance } from 'fastify'
import type { ModelEntry } from '../../../ports.ts'
import { needs } from '../../../http/signed-in.ts'

/** The models there are and the one that answers when a session names none. */
export type ModelList = { models: readonly Omit<ModelEntry, 'model'>[]; default: string }

/** [W11.1], [W12.9] What a client may know about how this server is set up. */
export function configRoutes(app: FastifyInstance, models: ModelList, config: ServerConfig): void {
  app.get('/api/config/models', needs('chat'), async (): Promise<ModelsConfig> => ({
    default: models.default,
    models: models.models.map(({ id, name, contextWindow, supportsVision, supportsThinking }) => ({
      id,
      name,
      context_window: contextWindow,
      supports_vision: supportsVision,
      supports_thinking: supportsThinking,
    })),
  }))
  app.get('/api/config', needs('chat'), async () => config)
}
