import { AgentError } from '@parley/protocol'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Caller } from '../../../auth/tools.ts'
import { type Admission, demandOwnPage, offerOf } from '../../../http/admission.ts'
import type { Principal } from '../../../sessions/service.ts'

/** Bodies larger than this are refused; uploads have a limit of their own. */
const BODY_LIMIT = 20 * 1024 * 1024

const callers = new WeakMap<FastifyRequest, Caller>()

/** Routes behind the door: every one of them has a caller, who is known before a body is read. */
export function signedInRoutes(
  app: FastifyInstance,
  admission: Admission,
  routes: (scope: FastifyInstance) => void,
): void {
  void app.register(async (scope) => {
    scope.addHook('onRoute', (route) => void (route.bodyLimit ??= BODY_LIMIT))
    scope.addHook('onRequest', async (request) => {
      const { headers, method, ip } = request
      const offer = offerOf(headers)
      callers.set(request, await admission.admit(offer, ip))
      if (offer?.by === 'cookie') demandOwnPage(method, headers)
    })
    routes(scope)
  })
}

export function callerOf(request: FastifyRequest): Caller {
  const caller = callers.get(request)
  if (!caller) throw new AgentError('unauthorized', 'Sign in first.')
  return caller
}

export function principalOf(request: FastifyRequest): Principal {
  return { user_id: callerOf(request).user_id }
}
