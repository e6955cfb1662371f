import { AgentError } from '@parley/protocol'
import { subjectSchema } from '@parley/protocol/schemas'
import type { FastifyInstance, FastifyRequest, RouteOptions as FastifyRoute } from 'fastify'
import { asPrincipal, demandScope, type Need, type Principal } from '../auth/principal.ts'
import type { Caller } from '../auth/tools.ts'
import { type Admission, demandOwnPage, presentedIn } from './admission.ts'
import { BODY_BYTES } from './limits.ts'
import { parse } from './parse.ts'
import { knowReader } from './reader.ts'
import type { Told } from './told.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    needs?: Need
    bySubject?: boolean
    tailIsPath?: boolean
  }
}

export type SignedInOptions = {
  admission: Admission
  /** The user id of an account's visitor; `undefined` when nobody ever came under that name. */
  findSubject: (account_id: string, subject: string) => Promise<string | undefined>
}

/** Nobody's id: has nothing, and finds nothing. */
const NOBODY = ''

const known = new WeakMap<FastifyRequest, { caller: Caller; principal: Principal }>()

/** Routes behind the door: every one of them has a caller, who is known, and may do this, before a body is read. */
export function signedInRoutes(
  app: FastifyInstance,
  { admission, findSubject }: SignedInOptions,
  routes: (scope: FastifyInstance) => void,
): void {
  void app.register(async (scope) => {
    scope.addHook('onRoute', (route) => {
      demandDeclared(route)
      route.bodyLimit ??= BODY_BYTES
    })
    scope.addHook('onRequest', async (request) => {
      const { headers, method, ip } = request
      const presented = presentedIn(headers)
      const caller = await admission.admit(presented, ip)
      if (presented?.by === 'cookie') demandOwnPage(method, headers)
      const principal = asPrincipal(caller)
      knowReader(request, principal)
      demandScope(principal, request.routeOptions.config.needs)
      known.set(request, { caller, principal: await ofSubject(request, principal, findSubject) })
    })
    routes(scope)
  })
}

/**
 * Every route behind the door says with this what it needs of its caller, and what it does; one that does not cannot be added. With
 * `bySubject` the account may ask it about one of its visitors, who is named by `?subject=`. With `tailIsPath` its `*` is a
 * path, and the route says itself what is wrong with it.
 */
export function needs(
  need: Need,
  { bySubject = false, tailIsPath = false, ...told }: RouteOptions,
): { config: RouteNeeds } {
  return { config: { needs: need, told, bySubject, tailIsPath } }
}

type RouteOptions = Told & { bySubject?: boolean; tailIsPath?: boolean }
type RouteNeeds = { needs: Need; told: Told; bySubject: boolean; tailIsPath: boolean }

export function callerOf(request: FastifyRequest): Caller {
  return knownOf(request).caller
}

/** Whose things the request is about: the caller's, or those of the visitor whom the account named. */
export function principalOf(request: FastifyRequest): Principal {
  return knownOf(request).principal
}

function knownOf(request: FastifyRequest): { caller: Caller; principal: Principal } {
  const found = known.get(request)
  if (!found) throw new AgentError('unauthorized', 'Sign in first.')
  return found
}

/** A route that nobody thought about would be open to the wrong people or to none: it is not added at all. */
function demandDeclared({ method, url, config }: FastifyRoute): void {
  if (config?.needs === undefined)
    throw new TypeError(`${[method].flat().join('|')} ${url} does not say with needs() whom it is for.`)
}

/** The account sees its visitors' things only when it names them, where a route can be asked that. */
async function ofSubject(
  request: FastifyRequest,
  principal: Principal,
  findSubject: SignedInOptions['findSubject'],
): Promise<Principal> {
  const { needs, bySubject } = request.routeOptions.config
  const query = request.query as Record<string, unknown>
  // Lists of the account, and of the server, read it themselves.
  const isAboutVisitors = needs !== 'account' && needs !== 'owner'
  if (query['subject'] === undefined || (!isAboutVisitors && !bySubject)) return principal
  if (!bySubject) throw new AgentError('invalid_payload', 'subject: This cannot be done for a visitor.')
  demandScope(principal, 'account')
  const subject = parse(subjectSchema, query['subject'], () => {})
  // Taken here, so that no route calls it a field that nobody knows.
  delete query['subject']
  return { user_id: (await findSubject(principal.user_id, subject)) ?? NOBODY }
}
