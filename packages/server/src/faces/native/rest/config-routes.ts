import type { ModelsConfig, ServerConfig } from '@parley/protocol/rest'
import type { FastifyInstance } from 'fastify'
import { needs } from '../../../http/signed-in.ts'
import type { ModelList } from '../../face.ts'

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
