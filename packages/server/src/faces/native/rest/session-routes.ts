import type { SessionDetail } from '@parley/protocol'
import {
  createSessionSchema,
  messagesQuerySchema,
  pinSessionSchema,
  sessionEnvSchema,
  sessionMemorySchema,
  sessionQuerySchema,
  updateSessionSchema,
} from '@parley/protocol/schemas'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { ignore, readBody, readQuery } from '../../../http/ignored-fields.ts'
import type { Sessions } from '../../../sessions/service.ts'
import type { Rewording } from '../../../words/rewording.ts'
import { needs, principalOf } from '../../../http/signed-in.ts'

type OneSession = { Params: { session_id: string } }

const ONE = '/api/sessions/:session_id'
const MASKED = '***'

/** [W11.2] Sessions, and [W11.3] their messages. */
export function sessionRoutes(
  app: FastifyInstance,
  sessions: Sessions,
  rewordingFor: (request: FastifyRequest) => Rewording,
): void {
  /** A session's detail shows the question that waits. */
  const shown = async (request: FastifyRequest, detail: Promise<SessionDetail>): Promise<SessionDetail> => {
    const { pending_question, ...rest } = await detail
    return {
      ...rest,
      pending_question: pending_question && rewordingFor(request).question(rest.id, pending_question),
    }
  }

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
    shown(request, sessions.detail(principalOf(request), request.params.session_id)),
  )

  app.patch<OneSession>(ONE, needs('chat'), async (request) => {
    const { intent } = readBody(request, updateSessionSchema)
    const { session_id } = request.params
    const principal = principalOf(request)
    return shown(
      request,
      intent === null ? sessions.detail(principal, session_id) : sessions.update(principal, session_id, { intent }),
    )
  })

  app.delete<OneSession>(ONE, needs('chat', { bySubject: true }), async (request) => {
    await sessions.delete(principalOf(request), request.params.session_id)
    return { deleted: true }
  })

  app.patch<OneSession>(`${ONE}/pin`, needs('chat'), async (request) => {
    const { pinned } = readBody(request, pinSessionSchema)
    return shown(request, sessions.update(principalOf(request), request.params.session_id, { is_pinned: pinned }))
  })

  app.patch<OneSession>(`${ONE}/memory`, needs('chat'), async (request) => {
    const { memory_enabled } = readBody(request, sessionMemorySchema)
    return shown(request, sessions.update(principalOf(request), request.params.session_id, { memory_enabled }))
  })

  // [W12.8] The account's to set, like all that an agent works with.
  app.put<OneSession>(`${ONE}/env`, needs('account'), async (request) => {
    const { env } = readBody(request, sessionEnvSchema)
    const detail = await shown(request, sessions.update(principalOf(request), request.params.session_id, { env }))
    return { ...detail, env: Object.fromEntries(Object.keys(env).map((name) => [name, MASKED])) }
  })

  // As the model gets them: with words about hosts and settings that are not meant for visitors.
  app.get<OneSession>(`${ONE}/history`, needs('account', { bySubject: true }), async (request) =>
    sessions.history(principalOf(request), request.params.session_id),
  )

  app.get<OneSession>(`${ONE}/messages`, needs('chat', { bySubject: true }), async (request) => {
    const { before, after, limit, branches } = readQuery(request, messagesQuerySchema)
    const page = {
      ...(before !== undefined && { before }),
      ...(after !== undefined && { after }),
      ...(limit !== undefined && { limit }),
      ...(branches === 'all' && { branches }),
    }
    const { session_id } = request.params
    const rewording = rewordingFor(request)
    const turns = await sessions.messages(principalOf(request), session_id, page)
    return turns.map((turn) => rewording.turn(session_id, turn))
  })
}

/** Fields that the origin's programs send and nothing is behind: the session is made without them, and says so. */
function withoutEffect(body: z.output<typeof createSessionSchema>): string[] {
  const legacy = ['template_id', 'software_factory_id', 'workspace_id'] as const
  return legacy.filter((name) => body[name] !== null)
}
