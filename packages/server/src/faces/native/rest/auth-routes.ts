import { AgentError } from '@parley/protocol'
import { identitySchema, loginQuerySchema, logoutSchema } from '@parley/protocol/schemas'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { LOGIN_SECONDS, signInPath, type Auth } from '../../../auth/auth.ts'
import { loginCookie } from '../../../auth/cookie.ts'
import type { Caller } from '../../../auth/tools.ts'
import { type Admission, demandNavigation } from '../../../http/admission.ts'
import { readQuery } from '../../../http/ignored-fields.ts'
import { callerOf, needs } from '../../../http/signed-in.ts'
import { tells } from '../../../http/told.ts'
import { refusedLink } from './sign-in-page.ts'

export type AuthRoutesOptions = {
  auth: Auth
  /** The cookie may only travel encrypted: people reach this server over https. */
  isSecure: boolean
  /** Where people reach this server, when that is not its own address. */
  publicUrl?: string | undefined
}

/** [W12.9] Signing in with the printed link. Open to everybody who has one. */
export function signInRoute(app: FastifyInstance, { auth, isSecure }: AuthRoutesOptions, admission: Admission): void {
  const told = tells({
    says: ['Signs a browser in with a printed link, and leads it on', '用登录链接登录浏览器，随后跳转'],
    query: loginQuerySchema,
    status: 302,
  })
  // Without a HEAD twin: it would use the code up.
  app.get('/api/auth/login', { ...told, exposeHeadRoute: false, errorHandler: refusedLink }, async (request, reply) => {
    demandNavigation(request.headers)
    const { code, next } = readQuery(request, loginQuerySchema)
    const token = await auth.signIn(code)
    if (token === undefined)
      throw admission.refusal(
        request.ip,
        'code',
        'This sign-in link was used before, is too old or was never valid. `parley sign-in-link` prints a new one.',
      )
    return reply
      .header('set-cookie', loginCookie(token, { maxAgeSeconds: LOGIN_SECONDS, isSecure }))
      .redirect(ownPath(next))
  })
}

export function authRoutes(app: FastifyInstance, { auth, isSecure, publicUrl }: AuthRoutesOptions): void {
  const linking = needs('account', {
    says: ['A link that signs a browser in, once', '生成一次性登录链接'],
    answer: z.object({ url: z.string() }),
    status: 201,
  })
  // The owner's keys can do all that a login can: a link gives nothing that its maker has not.
  app.post('/api/auth/sign-in-links', linking, async (request, reply) => {
    if (callerOf(request).user_id !== auth.owner_id)
      throw new AgentError('forbidden', 'Only the owner of this server gets a sign-in link.')
    const origin = publicUrl === undefined ? `${request.protocol}://${request.host}` : new URL(publicUrl).origin
    return reply.code(201).send({ url: origin + signInPath(await auth.newSignInCode()) })
  })

  const me = needs('chat', { says: ['Who you are', '当前用户'], answer: identitySchema })
  app.get('/api/auth/me', me, async (request) => {
    const { user_id, visitor } = callerOf(request)
    const identity = await auth.identity(user_id)
    if (!identity) throw new AgentError('unauthorized', 'This user no longer exists.')
    return visitor ? { ...identity, subject: visitor.subject, scopes: visitor.scopes } : identity
  })

  const refreshing = needs('account', {
    says: ['Prolongs a browser’s login', '延长浏览器登录'],
    answer: z.object({ ok: z.literal(true) }),
  })
  app.post('/api/auth/refresh', refreshing, async (request, reply) => {
    const token = await auth.refresh(loginOf(request))
    return reply.header('set-cookie', loginCookie(token, { maxAgeSeconds: LOGIN_SECONDS, isSecure })).send({ ok: true })
  })

  const leaving = needs('account', { says: ['Ends a browser’s login', '退出登录'], answer: logoutSchema })
  app.post('/api/auth/logout', leaving, async (request, reply) => {
    await auth.signOut(loginOf(request))
    return reply
      .header('set-cookie', loginCookie('', { maxAgeSeconds: 0, isSecure }))
      .send({ ok: true, logout_url: null })
  })
}

/** Only a login can be prolonged or ended; an API key is revoked instead. */
function loginOf(request: FastifyRequest): Caller {
  const caller = callerOf(request)
  if (caller.credential.kind === 'login') return caller
  throw new AgentError('unauthorized', 'There is no login to refresh or end: this request was made with an API key.')
}

/** A path on this server; anything that could lead elsewhere becomes the start page. */
function ownPath(next: string): string {
  const here = 'http://here.invalid'
  const url = next.startsWith('/') ? URL.parse(next, here) : null
  return url?.origin === here ? `${url.pathname}${url.search}${url.hash}` : '/'
}
