import type { ModelsConfig, ServerConfig } from '@parley/protocol/rest'
import { modelsConfigSchema, serverConfigSchema } from '@parley/protocol/schemas'
import type { FastifyInstance } from 'fastify'
import { needs } from '../../../http/signed-in.ts'
import type { ModelList } from '../../face.ts'

/** [W11.1], [W12.9] What a client may know about how this server is set up. */
export function configRoutes(app: FastifyInstance, models: ModelList, config: ServerConfig): void {
  const listing = needs('chat', { says: ['Models that can be chosen', '列出可选模型'], answer: modelsConfigSchema })
  app.get('/api/config/models', listing, async (): Promise<ModelsConfig> => ({
    default: models.default,
    models: models.models.map(({ id, name, contextWindow, supportsVision, supportsThinking }) => ({
      id,
      name,
      context_window: contextWindow,
      supports_vision: supportsVision,
      supports_thinking: supportsThinking,
    })),
  }))
  const told = needs('chat', { says: ['What is switched on here', '服务器的功能开关'], answer: serverConfigSchema })
  app.get('/api/config', told, async () => config)
}
