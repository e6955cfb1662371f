import { AgentError } from '@parley/protocol'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { readQuery } from '../../http/ignored-fields.ts'
import { readerOf } from '../../http/reader.ts'
import { needs, principalOf } from '../../http/signed-in.ts'
import type { AgentSseParts } from './agent-sse-parts.ts'
import { confirmResponse, pendingConfirmation, waitingResponseSchema } from './confirm-response.ts'
import { messageSchema, messagesOf } from './messages.ts'
import { findSession } from './open-session.ts'
import { agentTool, agentToolSchema } from './agent-tool.ts'
import { RECENT_TURNS, waitingIn } from './waiting.ts'

type Named = { Params: { sessionId: string } }

/** Turns that are read for one page of messages. */
const querySchema = z.object({ limit: z.coerce.number().int().min(1).max(1_000).optional() })

export function sessionRoutes(app: FastifyInstance, parts: AgentSseParts): void {
  const { sessions, source, tools } = parts

  const listing = needs('chat', {
    says: ['The messages of a conversation', '会话的消息'],
    query: querySchema,
    answer: z.object({ sessionId: z.string(), messages: z.array(messageSchema) }),
  })
  app.get<Named>('/api/agent/sessions/:sessionId/messages', listing, async (request) => {
    const { limit } = readQuery(request, querySchema)
    const { sessionId } = request.params
    const principal = principalOf(request)
    const session_id = await demand(request.params, principal)
    const { rewording } = source(readerOf(request))
    const turns = await sessions.messages(principal, session_id, limit === undefined ? {} : { limit })
    return { sessionId, messages: messagesOf(turns.map((turn) => rewording.turn(session_id, turn))) }
  })

  const waitingFor = needs('chat', {
    says: ['What waits for consent; 204 when nothing does', '等待确认的操作；没有时返回 204'],
    answer: waitingResponseSchema,
  })
  app.get<Named>('/api/agent/sessions/:sessionId/confirmation', waitingFor, async (request, reply) => {
    const principal = principalOf(request)
    const session_id = await demand(request.params, principal)
    const waiting = waitingIn(await sessions.messages(principal, session_id, { limit: RECENT_TURNS }))
    if (!waiting || waiting.isExpired) return reply.code(204).send()
    const { card, request: asked, askedAt } = waiting
    const { language } = readerOf(request)
    return { ...confirmResponse(card, language), pendingConfirmation: pendingConfirmation(card, asked, askedAt) }
  })

  const listingTools = needs('account', {
    says: ['All tools, as this protocol tells them', '列出全部工具（按本协议的格式）'],
    answer: z.object({ tools: z.array(agentToolSchema) }),
  })
  app.get('/api/agent/tools', listingTools, async (request) => {
    const listed = await tools(readerOf(request).language)
    return { tools: listed.map(agentTool) }
  })

  async function demand({ sessionId }: Named['Params'], principal: ReturnType<typeof principalOf>): Promise<string> {
    const session = await findSession(principal, sessionId, sessions)
    if (!session) throw new AgentError('session_not_found', `There is no session ${sessionId}.`)
    return session.id
  }
}
