import { AgentError } from '@parley/protocol'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { type Auth, LOGIN_SECONDS } from '../../../auth/auth.ts'
import { begunCookie, loginCookie, OIDC_PATH, readBegunCookie } from '../../../auth/cookie.ts'
import { OidcProblem } from '../../../auth/oidc/id-token.ts'
import { BEGUN_SECONDS, type OpenIdConnect } from '../../../auth/oidc/open-id-connect.ts'
import { type Admission, demandNavigation } from '../../../http/admission.ts'
import { readQuery } from '../../../http/ignored-fields.ts'
import { tells } from '../../../http/told.ts'
import { ownPath } from './own-path.ts'
import { refusedSignIn } from './sign-in-page.ts'

export type OidcRoutesOptions = {
  auth: Auth
  openId: OpenIdConnect
  /** The cookie may only travel encrypted: people reach this server over https. */
  isSecure: boolean
  /** Where people reach this server, as this request shows it. */
  originOf: (request: FastifyRequest) => string
  onRefused: (problem: string) => void
}

const CALLBACK = `${OIDC_PATH}/callback`
const beginSchema = z.object({ next: z.string().max(2_000).default('/') })
const text = z.string().max(4_096).optional()
const returnedSchema = z.object({ code: text, state: text, iss: text, error: text })
// Without a HEAD twin: it would use the code up.
const page = { exposeHeadRoute: false, errorHandler: refusedSignIn }

/** [W12.16] Signing in with OpenID Connect. Open to everybody. */
export function oidcRoutes(app: FastifyInstance, options: OidcRoutesOptions, admission: Admission): void {
  const { auth, openId, isSecure, originOf, onRefused } = options
  const redirectUri = (request: FastifyRequest) => originOf(request) + CALLBACK

  const beginning = tells({
    says: ['Leads a browser to the OpenID Connect provider', '跳转到 OpenID Connect 登录'],
    query: beginSchema,
    status: 302,
  })
  app.get(`${OIDC_PATH}/login`, { ...beginning, ...page }, async (request, reply) => {
    demandNavigation(request.headers)
    const { next } = readQuery(request, beginSchema)
    const { url, kept } = await openId.begin({ redirect_uri: redirectUri(request), next })
    return reply.header('set-cookie', begunCookie(kept, { maxAgeSeconds: BEGUN_SECONDS, isSecure })).redirect(url)
  })

  const returning = tells({
    says: ['Where the provider sends a browser back to', 'OpenID Connect 登录回调'],
    query: returnedSchema,
    status: 302,
  })
  app.get(CALLBACK, { ...returning, ...page }, async (request, reply) => {
    demandNavigation(request.headers)
    // Whatever becomes of it, it is not tried twice.
    reply.header('set-cookie', begunCookie('', { maxAgeSeconds: 0, isSecure }))
    const { claims, next } = await finish(request)
    const token = await auth.enterWithClaims(claims, openId.options)
    if (token === undefined) {
      onRefused('nobody invited them, and allow does not let them in')
      throw new AgentError('forbidden', 'You may not use this server yet. Ask one of its owners for an invitation.')
    }
    return reply
      .header('set-cookie', loginCookie(token, { maxAgeSeconds: LOGIN_SECONDS, isSecure }))
      .redirect(ownPath(next))
  })

  async function finish(request: FastifyRequest) {
    const { code, state, iss, error } = readQuery(request, returnedSchema)
    const returned = {
      ...(code !== undefined && { code }),
      ...(state !== undefined && { state }),
      ...(iss !== undefined && { iss }),
      ...(error !== undefined && { error }),
    }
    const kept = readBegunCookie(request.headers.cookie)
    try {
      return await openId.finish(returned, { kept, redirect_uri: redirectUri(request) })
    } catch (failure) {
      if (!(failure instanceof OidcProblem)) throw failure
      onRefused(failure.message)
      throw admission.refusal(request.ip, 'code', 'This sign-in did not work, or took too long. Begin it again.')
    }
  }
}
