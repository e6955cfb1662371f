import { environmentGroupSchema } from '@parley/protocol/schemas'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { ServerConfig } from '../config/options.ts'
import { readerOf } from '../http/reader.ts'
import { needs } from '../http/signed-in.ts'
import { environmentGroups } from './environment-groups.ts'

/** [W12.8] With which variables this server is set up, for its owners. */
export function environmentRoute(app: FastifyInstance, config: ServerConfig): void {
  const reading = needs('owner', {
    says: ['The variables that this server is set up with', '本服务器的环境变量配置'],
    answer: z.array(environmentGroupSchema),
  })
  app.get('/api/env', reading, async (request) => environmentGroups(config, readerOf(request).language))
}
