import { auditPageSchema, auditQuerySchema } from '@parley/protocol/schemas'
import type { FastifyInstance } from 'fastify'
import { readQuery } from '../http/ignored-fields.ts'
import { needs, principalOf } from '../http/signed-in.ts'
import type { Engine } from '../store/engine.ts'
import { auditPage } from './audit-page.ts'

export function auditRoutes(app: FastifyInstance, engine: Engine): void {
  const listing = needs('owner', {
    says: ['Who did what', '审计日志'],
    query: auditQuerySchema,
    answer: auditPageSchema,
  })
  app.get('/api/audit', listing, async (request) => {
    const query = readQuery(request, auditQuerySchema)
    return engine.read(() => auditPage(query, principalOf(request).user_id))
  })
}
