import { AgentError, isAgentError, type PatchMode } from '@parley/protocol'
import { restChatQuerySchema, restChatResultSchema, restChatSchema } from '@parley/protocol/schemas'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Principal } from '../../../auth/principal.ts'
import { nameInHeader, readBody, readQuery } from '../../../http/ignored-fields.ts'
import type { Accepted, Sessions } from '../../../sessions/service.ts'
import type { FeedSource } from '../../../feed/feed.ts'
import type { FaceParts } from '../../face.ts'
import { readerOf } from '../../../http/reader.ts'
import { say } from '../../../words/phrases.ts'
import { errorEvent, expelled } from '../../../http/failure.ts'
import { answerOf } from './chat-outcome.ts'
import { Patience } from '../../../http/patience.ts'
import { commentFrame } from '../../../http/event-stream/frames.ts'
import { openStream } from '../../../http/event-stream/write-stream.ts'
import { callerOf, needs, principalOf } from '../../../http/signed-in.ts'
import { streamRun } from './stream-run.ts'
import { waitForEnd } from './wait-for-end.ts'

export type ChatRoutesOptions = Pick<FaceParts, 'sessions' | 'source' | 'door' | 'logger'> & {
  /** For event streams that ask for none. */
  patchMode: PatchMode
  heartbeatMs: number
}

type Chat = FastifyRequest<{ Params: { session_id: string } }>

/**
 * [W11.3] One message or answer. As JSON it is run headless, with its outcome as the answer; as an event stream with
 * `headless: false` it is a conversation, in which the agent may ask.
 */
export function chatRoutes(app: FastifyInstance, options: ChatRoutesOptions): void {
  const chatting = needs('chat', {
    says: [
      'One message, or an answer to what waits; the outcome as JSON or as events',
      '发送消息或回答问题；结果为 JSON 或事件流',
    ],
    body: restChatSchema,
    query: restChatQuerySchema,
    answer: restChatResultSchema,
    gives: 'text/event-stream',
  })
  for (const path of ['/api/sessions/:session_id/chat', '/api/sessions/:session_id/headless'])
    app.post(path, chatting, async (request: Chat, reply) => chat(request, reply, options))
}

async function chat(request: Chat, reply: FastifyReply, options: ChatRoutesOptions): Promise<unknown> {
  const { session_id } = request.params
  const { timeout_ms, message = '', ...body } = readBody(request, restChatSchema)
  const { patch_mode } = readQuery(request, restChatQuerySchema)
  const isStream = request.headers.accept?.includes('text/event-stream') ?? false
  // An answer belongs to the run that asked, which nobody makes headless afterwards.
  if (!isStream && !body.headless && !body.askuser_answer)
    throw new AgentError('invalid_payload', 'headless: false needs Accept: text/event-stream.', {
      details: { session_id },
    })

  const reader = readerOf(request)
  const source = options.source(reader)
  const { credential } = callerOf(request)
  using patience = new Patience({ response: reply.raw, timeoutMs: timeout_ms, door: options.door, credential })
  const principal = principalOf(request)
  const accepted = await accept(options.sessions, principal, {
    ...body,
    message,
    session_id,
  })
  const stop = () => options.sessions.stop(principal, session_id, accepted.run_id)
  const hangUpStops = body.client_message_id === null && !accepted.joins

  // Awaited here: the patience ends with this function.
  if (!isStream) return await waitForAnswer(reply, { accepted, patience, stop, hangUpStops, source })
  const ignored = nameInHeader(request, reply, options.logger)
  const response = openStream(reply)
  if (ignored.length > 0) response.write(commentFrame(`ignored: ${JSON.stringify(ignored)}`))
  // In time: the stream ends with the run. Out of time: the run is stopped, and its end still goes out.
  const timedOut = patience.timedOut.then(stop)
  await streamRun(source, response, {
    ...options,
    accepted,
    mode: patch_mode ?? options.patchMode,
    signal: patience.gone,
    lastWord: () => (patience.isExpelled ? errorEvent(expelled(reader), null) : null),
  })
  if (patience.isTimedOut) await timedOut
  if (patience.isHungUp && hangUpStops) await stop()
  return reply
}

type Waiting = {
  accepted: Accepted
  patience: Patience
  stop: () => Promise<boolean>
  hangUpStops: boolean
  source: FeedSource
}

async function waitForAnswer(
  reply: FastifyReply,
  { accepted, patience, stop, hangUpStops, source }: Waiting,
): Promise<unknown> {
  const end = await waitForEnd(source, accepted, patience.over)
  if (end) return answerOf(accepted, end)
  const { session_id, run_id } = accepted
  const { reader } = source.rewording
  const details = { session_id, run_id }
  // Its run goes on, as it does for one whose socket is closed.
  if (patience.isExpelled) throw new AgentError('unauthorized', expelled(reader).message)
  if (patience.isTimedOut) {
    await stop()
    throw new AgentError('timeout', 'The run took too long and was stopped.', { details })
  }
  if (patience.isHungUp) {
    if (hangUpStops) await stop()
    return reply.hijack()
  }
  if (patience.isClosing) return reply.code(503).send({ detail: say('refused.shutdown', reader.language), ...details })
  throw new AgentError('session_not_found', 'The session was deleted while the run was under way.', { details })
}

/** Error bodies of this route name the session, and the run that is in the way. */
async function accept(
  sessions: Sessions,
  principal: Principal,
  command: Parameters<Sessions['send']>[1],
): Promise<Accepted> {
  try {
    return await sessions.send(principal, command)
  } catch (error) {
    if (!isAgentError(error)) throw error
    const details = { session_id: command.session_id, ...error.details }
    throw new AgentError(error.code, error.message, { details, cause: error })
  }
}
