import { AgentError } from '@parley/protocol'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { readBody } from '../../http/ignored-fields.ts'
import { Patience } from '../../http/patience.ts'
import { callerOf, needs, principalOf } from '../../http/signed-in.ts'
import { expelled } from '../../http/failure.ts'
import { type AgentSseParts, type Exchange, readingOf, sendOptions } from './agent-sse-parts.ts'
import { agentResponse, agentResponseSchema } from './agent-response.ts'
import { chatRequestSchema, idSchema, readChat } from './decode-request.ts'
import { readSessionCookie } from './event-source.ts'
import { findSession } from './open-session.ts'
import { wholeRun } from './read-run.ts'
import { expired } from './resume.ts'
import { sendMessage } from './send-message.ts'
import { MAX_BODY_BYTES } from './stream-routes.ts'

/** A run is stopped before that, and says so. */
const PATIENCE_MS = 2 ** 31 - 1

const cancelSchema = z.object({ sessionId: idSchema, messageId: idSchema.optional() })

export function chatRoutes(app: FastifyInstance, parts: AgentSseParts): void {
  const limit = { bodyLimit: MAX_BODY_BYTES }
  const sending = needs('chat', {
    says: [
      'A message, and its whole answer; `Prefer: respond-async` does not wait',
      '发送消息并等待完整回答；Prefer: respond-async 则不等待',
    ],
    body: chatRequestSchema,
    answer: agentResponseSchema,
  })
  app.post('/api/agent/chat', { ...sending, ...limit }, (request, reply) => chat({ request, reply, parts }))

  const cancelling = needs('chat', {
    says: ['Stops the answer that is under way', '停止进行中的回答'],
    body: cancelSchema,
    answer: z.object({ cancelled: z.boolean() }),
    status: 202,
  })
  app.post('/api/agent/chat/cancel', { ...cancelling, ...limit }, async (request, reply) => {
    await cancel({ request, reply, parts })
    return reply.code(202).send({ cancelled: true })
  })
}

/** [S2] The same message, with one answer at the end; or none but where to look for it. */
async function chat(exchange: Exchange): Promise<unknown> {
  const { request, reply, parts } = exchange
  const isAsync = prefersAsync(request.headers['prefer'])
  // Whoever waits for the end reads the run as a stream does.
  using _place = isAsync ? null : parts.streams.take()
  const body = readChat(request)
  const { principal, source, encoding, reader } = readingOf(exchange)
  const named = { ...body, sessionId: body.sessionId ?? readSessionCookie(request) }
  const started = await sendMessage(principal, named, sendOptions(parts))
  const { sessionId, messageId } = started
  if (isAsync) {
    const query = new URLSearchParams({ sessionId, messageId }).toString()
    return reply.code(202).send({ sessionId, messageId, streamUrl: `/api/agent/chat/stream?${query}` })
  }
  if (started.isPruned) throw expired()
  const { credential } = callerOf(request)
  using patience = new Patience({ response: reply.raw, timeoutMs: PATIENCE_MS, door: parts.door, credential })
  const events = await wholeRun(source, { ...started, ...encoding, after: 0, signal: patience.over })
  if (events) return agentResponse(events)
  if (patience.isHungUp) return reply.hijack()
  if (patience.isExpelled) throw new AgentError('unauthorized', expelled(reader).message)
  if (patience.isClosing)
    throw new AgentError('storage_unavailable', 'The server is stopping; the run goes on. Ask again.')
  throw new AgentError('session_not_found', 'The session was deleted while the run was under way.')
}

/** [S12] Works on any instance. What waits for consent goes on waiting. */
async function cancel({ request, parts: { sessions } }: Exchange): Promise<void> {
  const { sessionId, messageId } = readBody(request, cancelSchema)
  const principal = principalOf(request)
  const session = await findSession(principal, sessionId, sessions)
  const active = session && (await sessions.findRun(principal, session.id, 'active'))
  const meant =
    messageId && session ? await sessions.findRun(principal, session.id, { client_message_id: messageId }) : active
  if (
    !session ||
    !active ||
    meant?.run_id !== active.run_id ||
    !(await sessions.stop(principal, session.id, active.run_id))
  )
    throw new AgentError('not_found', 'No run is active there.')
}

function prefersAsync(prefer: string | string[] | undefined): boolean {
  return [prefer]
    .flat()
    .some((value) => value?.split(',').some((part) => part.trim().toLowerCase() === 'respond-async'))
}
