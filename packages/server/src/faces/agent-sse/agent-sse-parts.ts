import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AgentSseOptions } from '../../config/agent-sse-options.ts'
import { readerOf } from '../../http/reader.ts'
import { principalOf } from '../../http/signed-in.ts'
import type { FaceParts } from '../face.ts'
import type { SendOptions } from './send-message.ts'
import type { Streams } from './streams.ts'

export type AgentSseParts = FaceParts & { options: AgentSseOptions; streams: Streams }

/** A request, its answer, and everything it takes to give that. */
export type Exchange = { request: FastifyRequest; reply: FastifyReply; parts: AgentSseParts }

export function sendOptions({ sessions, options }: AgentSseParts): SendOptions {
  const { maxIterations, maxDuration } = options
  return { sessions, maxIterations, maxDuration }
}

/** How this caller reads the journal. */
export function readingOf({ request, parts }: Exchange) {
  const reader = readerOf(request)
  return {
    reader,
    principal: principalOf(request),
    source: parts.source(reader),
    encoding: { language: reader.language, maxIterations: parts.config.maxTurns },
  }
}
