import { AgentError } from '@parley/protocol'
import { identitySchema, loginQuerySchema, logoutSchema } from '@parley/protocol/schemas'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { LOGIN_SECONDS, signInPath, type Auth } from '../../../auth/auth.ts'
import { loginCookie } from '../../../auth/cookie.ts'
import type { OpenIdConnect } from '../../../auth/oidc/open-id-connect.ts'
import type { Caller } from '../../../auth/tools.ts'
import { type Admission, demandNavigation } from '../../../http/admission.ts'
import { readQuery } from '../../../http/ignored-fields.ts'
import { callerOf, needs } from '../../../http/signed-in.ts'
import { tells } from '../../../http/told.ts'
import { ownPath } from './own-path.ts'
import { refusedLink } from './sign-in-page.ts'

export type AuthRoutesOptions = {
  auth: Auth
  /** Where people sign in elsewhere, if that is configured. */
  openId?: OpenIdConnect | undefined
  /** The cookie may only travel encrypted: people reach this server over https. */
  isSecure: boolean
  /** Where people reach this server, as this request shows it. */
  originOf: (request: FastifyRequest) => string
}

/** [W12.9] Signing in with the printed link. Open to everybody who has one. */
export function signInRoute(
  app: FastifyInstance,
  { auth, isSecure }: Pick<AuthRoutesOptions, 'auth' | 'isSecure'>,
  admission: Admission,
): void {
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

export function authRoutes(app: FastifyInstance, { auth, openId, isSecure, originOf }: AuthRoutesOptions): void {
  const linking = needs('account', {
    says: ['A link that signs a browser in, once', '生成一次性登录链接'],
    answer: z.object({ url: z.string() }),
    status: 201,
  })
  // For another browser of one's own. A key can do all that a login can: a link gives nothing that its maker has not.
  app.post('/api/auth/sign-in-links', linking, async (request, reply) => {
    const code = await auth.newSignInCode(callerOf(request).user_id)
    return reply.code(201).send({ url: originOf(request) + signInPath(code) })
  })

  const me = needs('chat', { says: ['Who you are', '当前用户'], answer: identitySchema })
  app.get('/api/auth/me', me, async (request) => {
    const { user_id, role, visitor } = callerOf(request)
    const identity = await auth.identity(user_id)
    if (!identity) throw new AgentError('unauthorized', 'This user no longer exists.')
    if (!visitor) return { ...identity, role }
    return { ...identity, role: 'visitor', subject: visitor.subject, scopes: visitor.scopes }
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
    const login = loginOf(request)
    await auth.signOut(login)
    // Else the next sign-in there would ask for nothing, on a machine that others use.
    const isOfProvider = openId && (await auth.isOf(login.user_id, openId.options.issuer))
    const logout_url = isOfProvider ? await openId.logoutUrl(originOf(request)) : null
    return reply.header('set-cookie', loginCookie('', { maxAgeSeconds: 0, isSecure })).send({ ok: true, logout_url })
  })
}

/** Only a login can be prolonged or ended; an API key is revoked instead. */
function loginOf(request: FastifyRequest): Caller {
  const caller = callerOf(request)
  if (caller.credential.kind === 'login') return caller
  throw new AgentError('unauthorized', 'There is no login to refresh or end: this request was made with an API key.')
}
