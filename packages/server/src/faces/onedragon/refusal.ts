import type { FastifyError, FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { errorAnswer } from '../../http/failure.ts'
import { readerOf } from '../../http/reader.ts'

/** A request that this protocol refuses in its own words. */
export class Refusal extends Error {
  readonly statusCode: number

  constructor(statusCode: number, detail: string) {
    super(detail)
    this.statusCode = statusCode
  }
}

/** [O11.1] Before the stream every error has this body, whoever refused: `detail` for programs, `message` for pages. */
export function answerErrors(scope: FastifyInstance, logger: Logger): void {
  scope.setErrorHandler((error: FastifyError | Refusal, request, reply) => {
    // What was refused before all of it came is not read to its end.
    if (!request.raw.complete) reply.header('connection', 'close')
    if (error instanceof Refusal)
      return reply.code(error.statusCode).send({ detail: error.message, message: error.message })
    const { status, body, isOurs } = errorAnswer(error, readerOf(request))
    if (isOurs) logger.error({ err: error, route: request.routeOptions.url }, 'request failed')
    const { detail, code } = body
    // A body that cannot be read is as wrong as one that does not fit.
    return reply.code(status === 400 ? 422 : status).send({ detail, message: detail, ...(code && { code }) })
  })
}
