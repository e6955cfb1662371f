import {
  AgentError,
  createSessionSchema,
  messagesQuerySchema,
  pinSessionSchema,
  sessionMemorySchema,
  sessionQuerySchema,
  sessionSharingSchema,
  updateSessionSchema,
} from '@parley/protocol'
import type { FastifyInstance } from 'fastify'
import type { z } from 'zod'
import { ignore, readBody, readQuery } from '../../../http/ignored-fields.ts'
import type { Sessions } from '../../../sessions/service.ts'
import { needs, principalOf } from './scope.ts'

type OneSession = { Params: { session_id: string } }

const ONE = '/api/sessions/:session_id'

/** [11.2] Sessions, and [11.3] their messages. */
export function sessionRoutes(app: FastifyInstance, sessions: Sessions): void {
  app.post('/api/sessions', needs('chat'), async (request) => {
    const body = readBody(request, createSessionSchema)
    const session = await sessions.create(principalOf(request), body)
    ignore(request, withoutEffect(body))
    return { session_id: session.id, ...session }
  })

  app.get('/api/sessions', needs('chat', { bySubject: true }), async (request) =>
    sessions.list(principalOf(request), readQuery(request, sessionQuerySchema)),
  )

  app.get<OneSession>(ONE, needs('chat', { bySubject: true }), async (request) =>
    sessions.detail(principalOf(request), request.params.session_id),
  )

  app.patch<OneSession>(ONE, needs('chat'), async (request) => {
    const { intent } = readBody(request, updateSessionSchema)
    if (intent === null) return sessions.detail(principalOf(request), request.params.session_id)
    return sessions.update(principalOf(request), request.params.session_id, { intent })
  })

  app.delete<OneSession>(ONE, needs('chat', { bySubject: true }), async (request) => {
    await sessions.delete(principalOf(request), request.params.session_id)
    return { deleted: true }
  })

  app.patch<OneSession>(`${ONE}/pin`, needs('chat'), async (request) => {
    const { pinned } = readBody(request, pinSessionSchema)
    return sessions.update(principalOf(request), request.params.session_id, { is_pinned: pinned })
  })

  app.patch<OneSession>(`${ONE}/memory`, needs('chat'), async (request) => {
    const { memory_enabled } = readBody(request, sessionMemorySchema)
    const detail = await sessions.detail(principalOf(request), request.params.session_id)
    if (memory_enabled) throw new AgentError('not_supported', 'memory_enabled: this server keeps no memories.')
    return detail
  })

  app.patch<OneSession>(`${ONE}/sharing`, needs('account'), async (request) => {
    const { shared } = readBody(request, sessionSharingSchema)
    await sessions.get(principalOf(request), request.params.session_id)
    if (shared) throw new AgentError('not_supported', 'shared: this server makes no public links.')
    return { shared }
  })

  app.get<OneSession>(`${ONE}/history`, needs('chat', { bySubject: true }), async (request) =>
    sessions.history(principalOf(request), request.params.session_id),
  )

  app.get<OneSession>(`${ONE}/messages`, needs('chat', { bySubject: true }), async (request) => {
    const { after, limit } = readQuery(request, messagesQuerySchema)
    const page = { ...(after !== undefined && { after }), ...(limit !== undefined && { limit }) }
    return sessions.messages(principalOf(request), request.params.session_id, page)
  })
}

/** Fields that the origin's programs send and nothing is behind: the session is made without them, and says so. */
function withoutEffect(body: z.output<typeof createSessionSchema>): string[] {
  const legacy = ['template_id', 'software_factory_id', 'workspace_id'] as const
  return [...legacy.filter((name) => body[name] !== null), ...(body.memory_enabled ? ['memory_enabled'] : [])]
}
