import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { openStream } from '../../http/event-stream/write-stream.ts'
import { nameInHeader, readBody } from '../../http/ignored-fields.ts'
import { Patience } from '../../http/patience.ts'
import { readerOf } from '../../http/reader.ts'
import { callerOf, needs, principalOf } from '../../http/signed-in.ts'
import type { FaceParts } from '../face.ts'
import { chatRequestSchema, demandMessage } from './decode-request.ts'
import { sendMessage } from './send-message.ts'
import { streamRun } from './stream-run.ts'

export const MAX_BODY_BYTES = 1024 * 1024

/** [S3] */
const HEADERS = { 'cache-control': 'no-cache, no-transform', connection: 'keep-alive' }
/** Nobody waits longer for one run than the sockets of a server live. */
const FOREVER_MS = 2 ** 31 - 1

export function streamRoutes(app: FastifyInstance, parts: FaceParts): void {
  app.post('/api/agent/chat/stream', { ...needs('chat'), bodyLimit: MAX_BODY_BYTES }, (request, reply) =>
    stream(request, reply, parts),
  )
}

async function stream(request: FastifyRequest, reply: FastifyReply, parts: FaceParts): Promise<FastifyReply> {
  const body = readBody(request, chatRequestSchema)
  demandMessage(body)
  const { maxIterations, heartbeatInterval: heartbeatMs } = parts.config.agentSse
  const reader = readerOf(request)
  const started = await sendMessage(principalOf(request), body, { sessions: parts.sessions, maxIterations })
  nameInHeader(request, reply, parts.logger)
  const response = openStream(reply, HEADERS)
  response.flushHeaders()
  const { credential } = callerOf(request)
  using patience = new Patience({ response, timeoutMs: FOREVER_MS, door: parts.door, credential })
  await streamRun(parts.source(reader), response, {
    ...started,
    ...{ after: 0, heartbeatMs, signal: patience.gone },
    ...{ language: reader.language, maxIterations: parts.config.maxTurns },
  })
  return reply
}
