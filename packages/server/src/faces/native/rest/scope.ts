import { AgentError } from '@parley/protocol'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Caller } from '../../../auth/tools.ts'
import { type Admission, demandOwnPage, offerOf } from '../../../http/admission.ts'
import type { Principal } from '../../../sessions/service.ts'

const callers = new WeakMap<FastifyRequest, Caller>()

/** Routes behind the door: every one of them has a caller. */
export function signedInRoutes(
  app: FastifyInstance,
  admission: Admission,
  routes: (scope: FastifyInstance) => void,
): void {
  void app.register(async (scope) => {
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
