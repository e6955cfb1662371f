import type { FastifyInstance } from 'fastify'
import type { ServerConfig } from '../config/options.ts'
import { readerOf } from '../http/reader.ts'
import { needs } from '../http/signed-in.ts'
import { environmentGroups } from './environment-groups.ts'

/** [W12.8] With which variables this server is set up, for its owners. */
export function environmentRoute(app: FastifyInstance, config: ServerConfig): void {
  app.get('/api/env', needs('owner'), async (request) => environmentGroups(config, readerOf(request).language))
}
