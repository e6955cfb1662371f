import { isAgentError } from '@parley/protocol'
import type { FastifyError, FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { errorAnswer } from '../../http/failure.ts'
import { readerOf } from '../../http/reader.ts'
import { agentFailure } from './failures.ts'
import { Refusal } from './refusal.ts'

/** [S2.1] What fails before the stream begins is said as JSON, in the words of this protocol. */
export function answerErrors(scope: FastifyInstance, logger: Logger): void {
  scope.setErrorHandler((error: FastifyError, request, reply) => {
    if (error instanceof Refusal) {
      if (error.status === 503) reply.header('retry-after', RETRY_AFTER_S)
      return reply.code(error.status).send({ error: error.failure })
    }
    const { status, body, isOurs } = errorAnswer(error, readerOf(request))
    if (isOurs) logger.error({ err: error, method: request.method, route: request.routeOptions.url }, 'request failed')
    const { detail, code, ...details } = body
    const failure = agentFailure(code, typeof detail === 'string' ? detail : '')
    const retryAfter = isAgentError(error) ? error.details?.['retry_after'] : undefined
    if (typeof retryAfter === 'number') reply.header('retry-after', retryAfter)
    if (!request.raw.complete) reply.header('connection', 'close')
    const shown = Object.keys(details).length > 0 ? { ...failure, details } : failure
    return reply.code(STATUS[status] ?? status).send({ error: shown })
  })
}

const RETRY_AFTER_S = 5

/** This protocol calls a bad field a bad request, and knows of storage only that it failed. */
const STATUS: Record<number, number> = { 422: 400, 405: 400, 501: 400, 507: 500, 502: 500 }
