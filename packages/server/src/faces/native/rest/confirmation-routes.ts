import {
  confirmationDecisionSchema,
  confirmationSchema,
  confirmationStatusSchema,
  pageSchema,
} from '@parley/protocol/schemas'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { readBody, readQuery } from '../../../http/ignored-fields.ts'
import type { Sessions } from '../../../sessions/service.ts'
import { needs, principalOf } from '../../../http/signed-in.ts'

const querySchema = z.strictObject({
  status: confirmationStatusSchema.optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  offset: z.coerce.number().int().min(0).default(0),
})

/** Tool calls that wait, or waited, for a person's consent. */
export function confirmationRoutes(app: FastifyInstance, sessions: Sessions): void {
  const listing = needs('decide', {
    says: ['Tool calls that wait, or waited, for consent', '列出等待或曾等待确认的工具调用'],
    query: querySchema,
    answer: pageSchema(confirmationSchema),
    bySubject: true,
  })
  app.get('/api/confirmations', listing, async (request) => {
    const { status, limit, offset } = readQuery(request, querySchema)
    return sessions.confirmations(principalOf(request), { status, limit, offset })
  })

  const deciding = needs('decide', {
    says: ['Approves or rejects a tool call', '批准或拒绝工具调用'],
    body: confirmationDecisionSchema,
    answer: confirmationSchema,
  })
  app.post<{ Params: { id: string } }>('/api/confirmations/:id', deciding, async (request) =>
    sessions.decide(principalOf(request), request.params.id, readBody(request, confirmationDecisionSchema)),
  )
}
