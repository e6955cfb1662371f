import { isAgentError } from '@parley/protocol'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Principal } from '../../auth/principal.ts'
import type { OneDragonOptions } from '../../config/onedragon-options.ts'
import { openStream } from '../../http/event-stream/write-stream.ts'
import { nameInHeader, readBody } from '../../http/ignored-fields.ts'
import { Patience } from '../../http/patience.ts'
import { readerOf } from '../../http/reader.ts'
import { callerOf, needs, principalOf } from '../../http/signed-in.ts'
import type { Accepted, Sessions } from '../../sessions/service.ts'
import type { FaceParts } from '../face.ts'
import { Refusal } from './refusal.ts'
import { ResponseEncoder } from './response-encoder.ts'
import { type StreamRequest, streamRequestSchema } from './stream-request.ts'
import { timestampIn } from './timestamp.ts'
import { type Pace, writeResponse } from './write-response.ts'

/** Enough for the longest input, however its characters are written. */
const BODY_BYTES = 1024 * 1024
/** A response lasts as long as its run: the longest that a timer can wait. */
const NO_LIMIT_MS = 2 ** 31 - 1

const HEADERS = { 'cache-control': 'no-cache', connection: 'keep-alive' }

export type StreamRouteOptions = Pick<FaceParts, 'sessions' | 'source' | 'door' | 'logger'> & {
  options: OneDragonOptions
  pace: Pace
}

/** [O2] One input, and its answer as a stream. */
export function streamRoute(scope: FastifyInstance, parts: StreamRouteOptions): void {
  const path = `${parts.options.prefix}/chat/stream`
  scope.post(path, { ...needs('chat'), bodyLimit: BODY_BYTES }, (request, reply) => stream(request, reply, parts))
}

async function stream(request: FastifyRequest, reply: FastifyReply, parts: StreamRouteOptions): Promise<FastifyReply> {
  const { sessions, door, logger, options, pace } = parts
  const asked = readBody(request, streamRequestSchema)
  const principal = principalOf(request)
  const { credential } = callerOf(request)
  using patience = new Patience({ response: reply.raw, timeoutMs: NO_LIMIT_MS, door, credential })
  const accepted = await accept(asked, principal, sessions)
  nameInHeader(request, reply, logger)
  const { session_id, run_id } = accepted
  const source = parts.source(readerOf(request))
  const { language } = source.rewording.reader
  const encoder = new ResponseEncoder({ ...options, run_id, language, timestamp: timestampIn(options.timeZone) })
  const response = openStream(reply, HEADERS)
  const hasEnded = await writeResponse(response, { source, accepted, encoder, patience, pace, logger })
  // [O12.2] Whoever closes the connection interrupts. There is no way back to it, so a run is not left alone either.
  if (!hasEnded)
    await sessions.stop(principal, session_id, run_id).catch((error: unknown) => {
      if (!isAgentError(error)) logger.error({ err: error, session_id, run_id }, 'a run could not be stopped')
    })
  return reply
}

/** [O2] The checks in their order; what fails one leaves no trace. */
async function accept(asked: StreamRequest, principal: Principal, sessions: Sessions): Promise<Accepted> {
  if (asked.model_config_id != null) throw new Refusal(404, '配置不存在')
  const { session_id: given } = asked
  if (given != null) {
    await demandSession(given, principal, sessions)
    return send(given, asked, { principal, sessions })
  }
  const { id: session_id } = await sessions.create(principal, {})
  try {
    return await send(session_id, asked, { principal, sessions })
  } catch (error) {
    await sessions.delete(principal, session_id)
    throw error
  }
}

async function demandSession(id: string, principal: Principal, sessions: Sessions): Promise<void> {
  const notFound = new Refusal(404, `Session not found: ${id}`)
  // No id has one, and PostgreSQL refuses to even look.
  if (id.includes('\0')) throw notFound
  try {
    await sessions.get(principal, id)
  } catch (error) {
    throw isAgentError(error, 'session_not_found') ? notFound : error
  }
}

type Callers = { principal: Principal; sessions: Sessions }

async function send(session_id: string, asked: StreamRequest, { principal, sessions }: Callers): Promise<Accepted> {
  try {
    return await sessions.send(principal, { ...COMMAND, session_id, message: asked.user_input })
  } catch (error) {
    if (isAgentError(error, 'session_busy')) throw new Refusal(409, `Session is busy: ${session_id}`)
    if (isAgentError(error, 'session_not_found')) throw new Refusal(404, `Session not found: ${session_id}`)
    throw error
  }
}

/** What this protocol has no words for. */
const COMMAND = {
  mode: null,
  askuser_answer: null,
  model: null,
  headless: false,
  output_schema: null,
  whatif: null,
  replay_decision: null,
  plan_decision: null,
  runtime_env: null,
  client_message_id: null,
}
