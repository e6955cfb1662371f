import { AgentError } from '@parley/protocol'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { readQuery } from '../../http/ignored-fields.ts'
import { needs } from '../../http/signed-in.ts'
import { type AgentSseParts, type Exchange, readingOf, sendOptions } from './agent-sse-parts.ts'
import { chatRequestSchema, type ChatRequest, demandMessage, readChat, streamQuerySchema } from './decode-request.ts'
import { demandOwnEventSource, readSessionCookie, setSessionCookie } from './event-source.ts'
import { newId } from './new-id.ts'
import { observe } from './observe.ts'
import { findSession, openSession } from './open-session.ts'
import { demandSent, sendMessage } from './send-message.ts'
import { showRun } from './show-run.ts'

/** [S2.1] */
export const MAX_BODY_BYTES = 1024 * 1024

const resumeQuerySchema = streamQuerySchema.pick({ lastEventId: true })
const EVENTS = 'text/event-stream'

export function streamRoutes(app: FastifyInstance, parts: AgentSseParts): void {
  const path = '/api/agent/chat/stream'
  const sending = needs('chat', {
    says: ['A message; what the agent does, event by event', '发送消息，以事件流返回智能体的每一步'],
    body: chatRequestSchema,
    query: resumeQuerySchema,
    gives: EVENTS,
  })
  app.post(path, { ...sending, bodyLimit: MAX_BODY_BYTES }, (request, reply) => post({ request, reply, parts }))
  const following = needs('chat', {
    says: ['The same for an EventSource; or follows what is under way', '供 EventSource 使用；也可跟随进行中的回答'],
    query: streamQuerySchema,
    gives: EVENTS,
  })
  // A HEAD would do what a GET does.
  app.get(path, { ...following, exposeHeadRoute: false }, (request, reply) => get({ request, reply, parts }))
}

async function post(exchange: Exchange): Promise<FastifyReply> {
  const { request, parts } = exchange
  using _place = parts.streams.take()
  const { lastEventId } = readQuery(request, resumeQuerySchema)
  const body = readChat(request)
  const sessionId = body.sessionId ?? readSessionCookie(request)
  return await sendAndShow(exchange, { ...body, sessionId }, headerOf(exchange) ?? lastEventId)
}

/** [S11] */
async function get(exchange: Exchange): Promise<FastifyReply> {
  const { request, reply, parts } = exchange
  const { sessions } = parts
  using _place = parts.streams.take()
  const query = readQuery(request, streamQuerySchema)
  const { principal } = readingOf(exchange)
  const lastEventId = headerOf(exchange) ?? query.lastEventId
  const sessionId = query.sessionId ?? readSessionCookie(request)
  const { message, messageId, confirm } = query
  if (message !== undefined || confirm) {
    if (!sessionId || !messageId)
      throw new AgentError('invalid_payload', 'A message in the address needs sessionId and messageId.')
    demandOwnEventSource(request)
    const skipKnowledge = query.skipKnowledge === 'true'
    const body = { message: message ?? '', sessionId, messageId, confirm, skipKnowledge }
    demandMessage(body)
    return await sendAndShow(exchange, body, lastEventId)
  }
  if (sessionId === undefined) {
    demandOwnEventSource(request)
    const made = newId('session')
    const session = await openSession(principal, made, sessions)
    setSessionCookie(reply, made, parts.config.publicUrl)
    return await observe(exchange, { session, sessionId: made, lastEventId: undefined })
  }
  const session = await findSession(principal, sessionId, sessions)
  if (!session) throw new AgentError('session_not_found', `There is no session ${sessionId}.`)
  if (messageId === undefined) return await observe(exchange, { session, sessionId, lastEventId })
  const { id: session_id, last_event_seq: head } = session
  const run = await sessions.findRun(principal, session_id, { client_message_id: messageId })
  if (!run) throw new AgentError('not_found', `Nothing was started by the message ${messageId}.`)
  return await showRun(exchange, { sessionId, messageId, session_id, head, ...run }, lastEventId)
}

async function sendAndShow(
  exchange: Exchange,
  request: ChatRequest,
  lastEventId: string | undefined,
): Promise<FastifyReply> {
  const { principal } = readingOf(exchange)
  if (lastEventId !== undefined) await demandSent(principal, request, exchange.parts.sessions)
  return showRun(exchange, await sendMessage(principal, request, sendOptions(exchange.parts)), lastEventId)
}

/** [S10.2] The header wins over the query. */
function headerOf({ request }: Exchange): string | undefined {
  const given = request.headers['last-event-id']
  return typeof given === 'string' && given !== '' ? given : undefined
}
