import { createHash } from 'node:crypto'
import { AgentError } from '@parley/protocol'
import { z } from 'zod'
import { Jwks, type KeysChange } from '../product/jwks.ts'
import type { Seal } from '../seal.ts'
import type { AuthTools } from '../tools.ts'
import { type Claims, OidcProblem, verifyIdToken } from './id-token.ts'
import type { OidcOptions } from './oidc-options.ts'
import { type Metadata, Provider, type ProviderOptions } from './provider.ts'

export type OpenIdConnectOptions = Omit<ProviderOptions, 'issuer'> & {
  options: OidcOptions
  tools: AuthTools
  /** For what a browser keeps meanwhile. */
  seal: Seal
  onKeys: (change: KeysChange) => void
}

/** What the browser brings back from the provider. */
export type Returned = { code?: string; state?: string; iss?: string; error?: string }

const begunSchema = z.strictObject({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  next: z.string(),
  expires_at: z.number(),
})
type Begun = z.infer<typeof begunSchema>

const tokensSchema = z.object({ id_token: z.string(), access_token: z.string().optional() })

/** How long somebody may take at their provider. */
const BEGUN_MS = 10 * 60_000
export const BEGUN_SECONDS = BEGUN_MS / 1000

/**
 * The authorization code flow with PKCE, state and nonce. All that is remembered of a sign-in under way is sealed into a
 * cookie of the browser that began it, so that any instance can finish it and no other browser can.
 */
export class OpenIdConnect implements Disposable {
  readonly options: OidcOptions
  readonly #given: OpenIdConnectOptions
  readonly #provider: Provider
  #keys: { url: string; jwks: Jwks } | undefined

  constructor(given: OpenIdConnectOptions) {
    this.options = given.options
    this.#given = given
    this.#provider = new Provider({ ...given, issuer: given.options.issuer })
  }

  /** Where to send the browser, and what it keeps for its way back. */
  async begin({ redirect_uri, next }: { redirect_uri: string; next: string }): Promise<{ url: string; kept: string }> {
    const { randomBytes, now } = this.#given.tools
    const secret = () => randomBytes(32).toString('base64url')
    const begun: Begun = { state: secret(), nonce: secret(), verifier: secret(), next, expires_at: now() + BEGUN_MS }
    const { authorization_endpoint } = await this.#provider.metadata()
    const url = new URL(authorization_endpoint)
    const { clientId, scopes = ['openid', 'email', 'profile'] } = this.options
    const query = {
      ...{ response_type: 'code', client_id: clientId, redirect_uri, scope: scopes.join(' ') },
      ...{ state: begun.state, nonce: begun.nonce },
      code_challenge: createHash('sha256').update(begun.verifier).digest('base64url'),
      code_challenge_method: 'S256',
    }
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    const sealed = Buffer.from(this.#given.seal.seal(JSON.stringify(begun)), 'base64')
    return { url: url.href, kept: sealed.toString('base64url') }
  }

  /** Who has come back. Throws an `OidcProblem`, or `sign_in_unavailable`. */
  async finish(
    returned: Returned,
    { kept, redirect_uri }: { kept: string | undefined; redirect_uri: string },
  ): Promise<{ claims: Claims; next: string }> {
    const begun = this.#open(kept)
    if (!begun || returned.state !== begun.state) throw new OidcProblem('state')
    const metadata = await this.#provider.metadata()
    demandSameIssuer(returned, metadata)
    if (returned.error !== undefined) throw new OidcProblem(`the provider says ${returned.error.slice(0, 100)}`)
    if (!returned.code) throw new OidcProblem('no code')
    const { id_token, access_token } = await this.#redeem(metadata, {
      ...{ grant_type: 'authorization_code', code: returned.code, redirect_uri },
      code_verifier: begun.verifier,
    })
    const { issuer, clientId } = this.options
    const rules = { issuer, clientId, nonce: begun.nonce, now: this.#given.tools.now }
    const claims = await verifyIdToken(id_token, rules, this.#keysAt(metadata.jwks_uri))
    return { claims: await this.#withUserinfo(claims, access_token, metadata), next: begun.next }
  }

  /** Where a browser ends its session with the provider; `null` when that has no such place, or does not answer. */
  async logoutUrl(home: string): Promise<string | null> {
    const metadata = await this.#provider.metadata().catch(() => undefined)
    if (!metadata?.end_session_endpoint) return null
    const url = new URL(metadata.end_session_endpoint)
    url.searchParams.set('client_id', this.options.clientId)
    url.searchParams.set('post_logout_redirect_uri', home)
    return url.href
  }

  [Symbol.dispose](): void {
    this.#provider[Symbol.dispose]()
    this.#keys?.jwks[Symbol.dispose]()
  }

  async #redeem({ token_endpoint, ...metadata }: Metadata, form: Record<string, string>) {
    const { clientId, clientSecret } = this.options
    const isInHeader = metadata.token_endpoint_auth_methods_supported.includes('client_secret_basic')
    const body = new URLSearchParams(form)
    const headers: Record<string, string> = { 'content-type': 'application/x-www-form-urlencoded' }
    if (clientSecret !== undefined && isInHeader) headers['authorization'] = basic(clientId, clientSecret)
    else body.set('client_id', clientId)
    if (clientSecret !== undefined && !isInHeader) body.set('client_secret', clientSecret)
    const { status, json } = await this.#provider.ask(token_endpoint, {
      method: 'POST',
      headers,
      body: body.toString(),
    })
    if (status >= 500) throw unanswered()
    const tokens = tokensSchema.safeParse(json)
    if (status !== 200 || !tokens.success) throw new OidcProblem(`the code was refused with ${status}`)
    return tokens.data
  }

  /** Providers that keep to the letter tell an e-mail address there alone. What the ID token says is not said otherwise. */
  async #withUserinfo(claims: Claims, token: string | undefined, { userinfo_endpoint }: Metadata): Promise<Claims> {
    if (token === undefined || userinfo_endpoint === undefined || claims['email'] !== undefined) return claims
    const { status, json } = await this.#provider.ask(userinfo_endpoint, {
      headers: { authorization: `Bearer ${token}` },
    })
    const said = z.looseObject({ sub: z.literal(claims.sub) }).safeParse(json)
    if (status !== 200 || !said.success) throw new OidcProblem(`userinfo: ${status}`)
    return { ...said.data, ...claims }
  }

  #keysAt(url: string): Jwks {
    if (this.#keys?.url === url) return this.#keys.jwks
    this.#keys?.jwks[Symbol.dispose]()
    const { elapsed, onKeys } = this.#given
    const jwks = new Jwks({ url, egress: this.#provider.egress, elapsed, onChange: onKeys })
    this.#keys = { url, jwks }
    return jwks
  }

  #open(kept: string | undefined): Begun | undefined {
    try {
      const begun = begunSchema.parse(JSON.parse(this.#given.seal.open(kept ?? '')))
      return begun.expires_at > this.#given.tools.now() ? begun : undefined
    } catch {
      return undefined
    }
  }
}

/** RFC 9207: an answer of another provider must not be taken for this one's. */
function demandSameIssuer({ iss }: Returned, metadata: Metadata): void {
  if (iss === undefined ? metadata.authorization_response_iss_parameter_supported : iss !== metadata.issuer)
    throw new OidcProblem('iss')
}

/** RFC 6749, 2.3.1: both are form-encoded first. */
function basic(id: string, secret: string): string {
  const encoded = (text: string) => new URLSearchParams({ '': text }).toString().slice(1)
  return `Basic ${Buffer.from(`${encoded(id)}:${encoded(secret)}`).toString('base64')}`
}

function unanswered(): AgentError {
  return new AgentError('sign_in_unavailable', 'Your sign-in cannot be checked just now. Try again in a moment.')
}
