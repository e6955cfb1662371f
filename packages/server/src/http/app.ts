import { AgentError, type ErrorBody, isAgentError } from '@parley/protocol'
import { isTextDeeper, MAX_JSON_DEPTH } from '@parley/protocol/wire'
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { Access } from './access.ts'
import { errorAnswer } from './failure.ts'
import { nameIgnored } from './ignored-fields.ts'
import { STRANGER_BYTES } from './limits.ts'
import { answersOtherMethods, methodsOf } from './methods.ts'
import type { Language } from '../words/language.ts'
import { greetReader, readerOf } from './reader.ts'
import { rememberTold } from './told.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The page of who asked for one that is not there, where a face has pages. */
    sendPage: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>
  }
}

/**
 * By when a request's head, and all of it, must be here; how often that is looked at. An upload over a slow line takes
 * its time, but only of those who may upload.
 */
const TIMES = { headersMs: 15_000, requestMs: 30 * 60_000, lookMs: 5_000 }

export type AppOptions = {
  /** For whoever does not ask for another. Default `en`. */
  language?: Language
  times?: typeof TIMES
}

/** An HTTP server that keeps the conventions of the wire protocol's section 3; routes are added by the faces. */
export function createApp(
  logger: Logger,
  access: Access,
  { language = 'en', times = TIMES }: AppOptions = {},
): FastifyInstance {
  const app = Fastify({
    // Routes behind the door take more, from those who have come through it.
    bodyLimit: STRANGER_BYTES,
    routerOptions: { ignoreTrailingSlash: true },
    forceCloseConnections: 'idle',
    requestTimeout: times.requestMs,
    // What the router refuses passes none of the hooks below.
    frameworkErrors(error, request, reply) {
      greetReader(request as FastifyRequest, language)
      const { status, body } = errorAnswer(ofRouter(error), readerOf(request as FastifyRequest))
      const plain = reply as unknown as FastifyReply
      void plain.code(status).header('cache-control', 'no-store').send(body)
    },
    http: { headersTimeout: times.headersMs, connectionsCheckingInterval: times.lookMs },
  })
  const methods = methodsOf(app)
  rememberTold(app)
  readJsonOnly(app)
  app.addHook('onRequest', async (request, reply) => {
    greetReader(request, language)
    return checkAccess(request, reply, access)
  })
  let isClosing = false
  app.addHook('preClose', async () => {
    isClosing = true
  })
  app.addHook('onRequest', async ({ raw: { socket } }, reply) => {
    // What sent its head before that, as event streams have, cannot say any more that its connection is closed.
    reply.raw.once('finish', () => isClosing && socket.destroySoon())
  })
  nameIgnored(app, logger)
  app.addHook('onSend', async (_request, reply) => {
    // A connection that was busy when the server began to stop would be kept for the next request, and the server with it.
    if (isClosing) reply.header('connection', 'close')
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
  })
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const { status, body, isOurs } = errorAnswer(error, readerOf(request))
    if (isOurs) logger.error({ err: error, method: request.method, route: request.routeOptions.url }, 'request failed')
    const retryAfter = isAgentError(error) ? error.details?.['retry_after'] : undefined
    if (typeof retryAfter === 'number') reply.header('retry-after', retryAfter)
    // What was refused before all of it came is not read to its end.
    if (!request.raw.complete) reply.header('connection', 'close')
    return reply.code(status).send(body)
  })
  app.setNotFoundHandler((request, reply) => notFound(request, reply, methods))
  return app
}

/** JSON is the only kind of body there is, and an empty one counts as `{}`. Uploads bring a parser of their own. */
function readJsonOnly(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body.trim() === '') done(null, {})
    else if (isTextDeeper(body)) done(tooDeep())
    else void parseJson(request, body, done)
  })
}

/** What nests deeper was made to hurt whoever reads it. */
function tooDeep(): Error {
  return Object.assign(new Error(`The body nests deeper than ${MAX_JSON_DEPTH} levels.`), { statusCode: 400 })
}

/** No id is as long as the router says it must not be. */
function ofRouter({ code }: FastifyError): AgentError | FastifyError {
  if (code !== 'FST_ERR_BAD_URL') return new AgentError('not_found', 'Not Found')
  return Object.assign(new Error('The address is no valid one.'), { statusCode: 400, code, name: 'FastifyError' })
}

async function checkAccess(
  request: FastifyRequest,
  reply: FastifyReply,
  access: Access,
): Promise<FastifyReply | undefined> {
  const { method, headers, raw } = request
  const verdict = access({ method, headers, localAddress: raw.socket.localAddress })
  if (!verdict.isAllowed) throw new AgentError('forbidden', verdict.reason)
  if (!verdict.takesCookies) delete headers.cookie
  reply.headers(verdict.headers)
  // No id has one, and PostgreSQL refuses to even look.
  if (hasNull(request)) throw new AgentError('not_found', 'Not Found')
  return verdict.isPreflight ? reply.code(204).send() : undefined
}

function hasNull({ url, params, routeOptions }: FastifyRequest): boolean {
  if (!url.includes('%00')) return false
  if (!routeOptions.config?.tailIsPath) return true
  return Object.entries(params as Record<string, string>).some(([name, value]) => name !== '*' && value.includes('\0'))
}

/** A browser's address bar, at an address that is no program's: nobody should have to read JSON there. */
function isForPerson({ method, url, headers, server }: FastifyRequest): boolean {
  return (
    method === 'GET' &&
    server.hasDecorator('sendPage') &&
    !/^\/(?:api|socket\.io|embed|assets)(?:[/.?]|$)/.test(url) &&
    /\btext\/html\b/.test(headers.accept ?? '')
  )
}

function notFound(
  request: FastifyRequest,
  reply: FastifyReply,
  methods: ReturnType<typeof methodsOf>,
): FastifyReply | Promise<FastifyReply> {
  const allowed = answersOtherMethods(methods, request.url)
  if (allowed.length === 0 && isForPerson(request)) return request.server.sendPage(request, reply)
  if (allowed.length === 0) return reply.code(404).send({ detail: 'Not Found', code: 'not_found' } satisfies ErrorBody)
  const detail = `${request.method} is not allowed here; ${allowed.join(', ')} is.`
  reply.code(405).header('allow', allowed.join(', '))
  return reply.send({ detail, code: 'method_not_allowed' } satisfies ErrorBody)
}
