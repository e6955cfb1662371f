import { isAgentError } from '@parley/protocol'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { OneDragonOptions } from '../../config/onedragon-options.ts'
import { openStream } from '../../http/event-stream/write-stream.ts'
import { nameInHeader, readBody } from '../../http/ignored-fields.ts'
import { Patience } from '../../http/patience.ts'
import { readerOf } from '../../http/reader.ts'
import { callerOf, needs, principalOf } from '../../http/signed-in.ts'
import type { FaceParts } from '../face.ts'
import { acceptInput } from './accept-input.ts'
import { ResponseEncoder } from './response-encoder.ts'
import type { StorageWatch } from './storage-watch.ts'
import { streamRequestSchema } from './stream-request.ts'
import { timestampIn } from './timestamp.ts'
import { type Pace, writeResponse } from './write-response.ts'

/** Enough for the longest input, however its characters are written. */
const BODY_BYTES = 1024 * 1024
/** A response lasts as long as its run: the longest that a timer can wait. */
const NO_LIMIT_MS = 2 ** 31 - 1

/** `Connection` is Node's to say: it knows whether the client, or a server that stops, wants it closed. */
const HEADERS = { 'cache-control': 'no-cache' }

export type StreamRouteOptions = Pick<
  FaceParts,
  'sessions' | 'source' | 'models' | 'modelConfigs' | 'door' | 'logger'
> & {
  options: OneDragonOptions
  pace: Pace
  storage: StorageWatch
}

/** [O2] One input, and its answer as a stream. */
export function streamRoute(scope: FastifyInstance, parts: StreamRouteOptions): void {
  const path = `${parts.options.prefix}/chat/stream`
  const streaming = needs('chat', {
    says: ['One input; its answer as a stream of messages', '发送一条输入，以消息流返回回答'],
    body: streamRequestSchema,
    gives: 'text/event-stream',
  })
  scope.post(path, { ...streaming, bodyLimit: BODY_BYTES }, (request, reply) => stream(request, reply, parts))
}

async function stream(request: FastifyRequest, reply: FastifyReply, parts: StreamRouteOptions): Promise<FastifyReply> {
  const { sessions, door, logger, options } = parts
  const asked = readBody(request, streamRequestSchema)
  const principal = principalOf(request)
  const { credential } = callerOf(request)
  using patience = new Patience({ response: reply.raw, timeoutMs: NO_LIMIT_MS, door, credential })
  const source = parts.source(readerOf(request))
  const accepted = await acceptInput(asked, { ...parts, ...options, principal, source, signal: patience.gone })
  nameInHeader(request, reply, logger)
  const { session_id, run_id } = accepted
  const { language } = source.rewording.reader
  const encoder = new ResponseEncoder({ ...options, run_id, language, timestamp: timestampIn(options.timeZone) })
  const response = openStream(reply, HEADERS)
  const hasEnded = await writeResponse(response, { ...parts, source, accepted, encoder, patience })
  // [O12.2] Whoever closes the connection interrupts. There is no way back to it, so a run is not left alone either.
  if (!hasEnded)
    await sessions.stop(principal, session_id, run_id).catch((error: unknown) => {
      if (!isAgentError(error)) logger.error({ err: error, session_id, run_id }, 'a run could not be stopped')
    })
  return reply
}
