import {
  createSessionSchema,
  messagesQuerySchema,
  pinSessionSchema,
  sessionMemorySchema,
  sessionQuerySchema,
  sessionSharingSchema,
  updateSessionSchema,
} from '@parley/protocol'
import type { FastifyInstance } from 'fastify'
import { readBody, readQuery } from '../../../http/ignored-fields.ts'
import type { Sessions } from '../../../sessions/service.ts'
import { principalOf } from './scope.ts'

type OneSession = { Params: { session_id: string } }

const ONE = '/api/sessions/:session_id'

/** [11.2] Sessions, and [11.3] their messages. */
export function sessionRoutes(app: FastifyInstance, sessions: Sessions): void {
  app.post('/api/sessions', async (request) => {
    const session = await sessions.create(principalOf(request), readBody(request, createSessionSchema))
    return { session_id: session.id, ...session }
  })

  app.get('/api/sessions', async (request) =>
    sessions.list(principalOf(request), readQuery(request, sessionQuerySchema)),
  )

  app.get<OneSession>(ONE, async (request) => sessions.detail(principalOf(request), request.params.session_id))

  app.patch<OneSession>(ONE, async (request) => {
    const { intent } = readBody(request, updateSessionSchema)
    if (intent === null) return sessions.detail(principalOf(request), request.params.session_id)
    return sessions.update(principalOf(request), request.params.session_id, { intent })
  })

  app.delete<OneSession>(ONE, async (request) => {
    await sessions.delete(principalOf(request), request.params.session_id)
    return { deleted: true }
  })

  app.patch<OneSession>(`${ONE}/pin`, async (request) => {
    const { pinned } = readBody(request, pinSessionSchema)
    return sessions.update(principalOf(request), request.params.session_id, { is_pinned: pinned })
  })

  app.patch<OneSession>(`${ONE}/memory`, async (request) => {
    const { memory_enabled } = readBody(request, sessionMemorySchema)
    return sessions.update(principalOf(request), request.params.session_id, { memory_enabled })
  })

  app.patch<OneSession>(`${ONE}/sharing`, async (request) => {
    const { shared } = readBody(request, sessionSharingSchema)
    const detail = await sessions.update(principalOf(request), request.params.session_id, { shared })
    return { shared: detail.shared }
  })

  app.get<OneSession>(`${ONE}/messages`, async (request) => {
    const { after, limit } = readQuery(request, messagesQuerySchema)
    const page = { ...(after !== undefined && { after }), ...(limit !== undefined && { limit }) }
    return sessions.messages(principalOf(request), request.params.session_id, page)
  })
}
