import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT, decodeJwt } from 'jose'
// @ts-expect-error It brings no types.
import { Provider as Untyped } from 'oidc-provider'

export const CLIENT = { id: 'parley', secret: 'a secret & of=two' }

/** What somebody's account at the provider says about them. */
export type Account = Record<string, unknown>
/** Changes what an ID token says, or how it is signed. */
export type Tamper = (
  claims: JWTPayload,
  sign: (claims: JWTPayload, header?: object) => Promise<string>,
) => Promise<string>

export type TestProvider = AsyncDisposable & {
  issuer: string
  /** Who is signed in there, by their subject. */
  accounts: Record<string, Account>
  /** Whoever comes next is this one. */
  who: string
  tamper: Tamper | undefined
}

type Context = {
  path: string
  body: { id_token?: string }
  oidc: { client: { clientId: string }; session: { accountId: string }; provider: Real }
}
type Grant = { addOIDCScope(scope: string): void; save(): Promise<string> }
type Real = {
  Grant: new (of: { clientId: string; accountId: string }) => Grant
  use(middleware: (context: Context, next: () => Promise<void>) => Promise<void>): void
  callback(): (request: IncomingMessage, response: ServerResponse) => void
  interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>
}

/** The npm package `oidc-provider` on a real port. Whoever asks it is signed in as `who`; it consents to everything. */
export async function startProvider(redirect_uri: string): Promise<TestProvider> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  const jwk = { ...(await exportJWK(privateKey)), kid: 'one', alg: 'RS256', use: 'sig' }
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const running: Omit<TestProvider, typeof Symbol.asyncDispose> = {
    ...{ issuer, accounts: {}, who: '', tamper: undefined },
  }
  const real = new (Untyped as new (issuer: string, options: object) => Real)(issuer, {
    clients: [
      {
        ...{ client_id: CLIENT.id, client_secret: CLIENT.secret, redirect_uris: [redirect_uri] },
        post_logout_redirect_uris: [new URL(redirect_uri).origin],
      },
    ],
    jwks: { keys: [jwk] },
    cookies: { keys: ['of the provider'] },
    // Said, so that it does not speak of its defaults.
    ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: 600, IdToken: 600, AuthorizationCode: 60 },
    pkce: { required: () => true },
    claims: { openid: ['sub', 'groups'], email: ['email', 'email_verified'], profile: ['name', 'preferred_username'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: (_: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id, ...running.accounts[id] }) }),
    async loadExistingGrant({ oidc }: Context) {
      const grant = new real.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
  })
  real.use(async (context, next) => {
    await next()
    if (context.path !== '/token' || !context.body.id_token || !running.tamper) return
    const sign = (claims: JWTPayload, header: object = {}) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'one', ...header }).sign(privateKey)
    context.body = { ...context.body, id_token: await running.tamper(decodeJwt(context.body.id_token), sign) }
  })
  const answer = real.callback()
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (!request.url!.startsWith('/interaction/')) return answer(request, response)
    void real.interactionFinished(request, response, { login: { accountId: running.who } })
  })
  return Object.assign(running, {
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  })
}

/** A browser, as far as signing in goes: cookies per origin, redirects by hand. */
export class Browser {
  readonly cookies = new Map<string, Map<string, string>>()

  /** Follows redirects, but not to where `until` says; that is where it ends. */
  async open(address: string, until: (url: URL) => boolean = () => false) {
    let url = new URL(address)
    for (let hops = 0; hops < 12; hops++) {
      const reply = await fetch(url, {
        redirect: 'manual',
        headers: { cookie: this.cookie(url.origin), accept: 'text/html', 'sec-fetch-dest': 'document' },
      })
      this.#keep(url.origin, reply.headers.getSetCookie())
      const location = reply.headers.get('location')
      const next = location === null ? null : new URL(location, url)
      if (next === null) return { url, status: reply.status, text: await reply.text() }
      await reply.body?.cancel()
      url = next
      if (until(url)) return { url, status: reply.status, text: '' }
    }
    throw new Error(`${address} leads round and round.`)
  }

  cookie(origin: string): string {
    return [...(this.cookies.get(origin) ?? [])].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  #keep(origin: string, lines: readonly string[]): void {
    const jar = this.cookies.get(origin) ?? new Map<string, string>()
    this.cookies.set(origin, jar)
    for (const line of lines) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (/max-age=0\b|expires=thu, 01 jan 1970/i.test(line)) jar.delete(name)
      else jar.set(name, value)
    }
  }
}
