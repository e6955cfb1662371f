import type { CreatedToken, CreateToken, Identity } from '@parley/protocol/rest'
import type { Engine } from '../store/engine.ts'
import type { Work } from '../store/work.ts'
import { ApiKeys, liveKeys } from './api-keys.ts'
import { recordAudit } from '../store/audit.ts'
import { KeyUsage } from './key-usage.ts'
import { dropExpired, endLogin, findLogin, hasCode, liveLogins, storeCode, storeLogin, takeCode } from './logins.ts'
import { Members } from './members.ts'
import { enterWithClaims } from './oidc/enter-with-claims.ts'
import type { Claims } from './oidc/id-token.ts'
import type { OidcOptions } from './oidc/oidc-options.ts'
import { type ProductSignIn, ProductTokens } from './product/product-tokens.ts'
import type { Secret } from './secret.ts'
import { readToken, signToken } from './signed-token.ts'
import { type AuthTools, type Caller, type Credential, isoTime } from './tools.ts'
import { ensureOwner, findIdentity, findSubject, noteJoined, roleOf } from './users.ts'
import { dropExpiredTokens, liveTokens, VisitorTokens } from './visitor-tokens.ts'

export type AuthOptions = AuthTools & {
  engine: Engine
  secret: Pick<Secret, 'key'>
  /** `PARLEY_OWNER_KEY`. */
  ownerKey?: string | undefined
  /** The product's own sign-in, whose tokens are accepted too. */
  signIn?: ProductSignIn | undefined
  /** Told when something failed that nobody waits for. */
  onError: (error: unknown) => void
}

/** How long a printed sign-in link works. */
const CODE_MS = 24 * 3_600_000
/** How long a login lasts after it was last refreshed. */
const LOGIN_MS = 30 * 24 * 3_600_000

export const LOGIN_SECONDS = LOGIN_MS / 1000

/** Creates the owner at the first start and gives them the configured key. */
export async function openAuth(options: AuthOptions): Promise<Auth> {
  const { engine, now, randomBytes, ownerKey } = options
  const user_id = `user_${randomBytes(12).toString('hex')}`
  const owner_id = await engine.write(function* () {
    yield* dropExpired(now())
    yield* dropExpiredTokens()
    return yield* ensureOwner(user_id, isoTime(now()))
  })
  const auth = new Auth(options, owner_id)
  if (ownerKey !== undefined) await auth.keys.ensureOwnerKey(owner_id, ownerKey)
  return auth
}

/** What a sign-in link says beside where the server is. */
export function signInPath(code: string): string {
  return `/api/auth/login?code=${code}&next=/`
}

/** Who may come in. REST and sockets accept the same: API keys, logins, visitors' tokens, the product's own. */
export class Auth implements AsyncDisposable {
  readonly owner_id: string
  readonly keys: ApiKeys
  readonly tokens: VisitorTokens
  readonly members: Members
  readonly #engine: Engine
  readonly #tools: AuthTools
  readonly #loginKey: Buffer
  readonly #products: ProductTokens | undefined
  readonly #usage: KeyUsage
  readonly #listeners = new Set<(credential: Credential) => void>()

  constructor({ engine, now, randomBytes, secret, signIn, onError }: AuthOptions, owner_id: string) {
    this.owner_id = owner_id
    this.#engine = engine
    this.#tools = { now, randomBytes }
    this.#loginKey = secret.key('login')
    this.keys = new ApiKeys(engine, this.#tools)
    this.tokens = new VisitorTokens(engine, this.#tools)
    this.members = new Members(engine, this.#tools, owner_id)
    this.#products = signIn && new ProductTokens(signIn, { engine, tools: this.#tools, account_id: owner_id })
    this.#usage = new KeyUsage(engine, now, onError)
  }

  /** The caller behind a token; `undefined` when it is none that we know, expired or revoked. */
  async authenticate(token: string): Promise<Caller | undefined> {
    const login_id = this.#loginOf(token)
    if (login_id !== undefined) {
      const login = await this.#findLogin(login_id)
      return login && { ...login, credential: { kind: 'login', id: login_id } }
    }
    const found = await this.tokens.find(token)
    if (found) {
      const { user_id, token_id, key_id, lastsMs, subject, scopes, expires_at } = found
      return {
        user_id,
        role: 'member',
        credential: { kind: 'token', id: token_id, lastsMs },
        visitor: { subject, scopes, expires_at, key_id },
      }
    }
    const visitor = await this.#products?.find(token)
    if (visitor) return visitor
    const key = await this.keys.find(token)
    if (!key) return undefined
    this.#usage.used(key.id)
    return { user_id: key.user_id, role: key.role, credential: { kind: 'key', id: key.id } }
  }

  /** A code that signs somebody in, once, within a day: the owner, unless another is named. */
  async newSignInCode(user_id = this.owner_id): Promise<string> {
    const code = this.#tools.randomBytes(24).toString('base64url')
    const expires_at = this.#tools.now() + CODE_MS
    await this.#engine.write(() => storeCode(code, { user_id, expires_at }))
    return code
  }

  /** Exchanges a code for a login's token; `undefined` when it was used, is too old or never was. */
  async signIn(code: string): Promise<string | undefined> {
    if (!(await this.#engine.read(() => hasCode(code)))) return undefined
    const { now } = this.#tools
    return this.enter(function* () {
      return (yield* takeCode(code, now()))?.user_id
    })
  }

  /** A login's token for whomever this finds; `undefined` when that is nobody, or somebody who was removed. */
  async enter(findUser: () => Work<string | undefined>): Promise<string | undefined> {
    const { now, randomBytes } = this.#tools
    const id = randomBytes(18).toString('base64url')
    const expires_at = now() + LOGIN_MS
    const isSignedIn = await this.#engine.write(function* () {
      const user_id = yield* findUser()
      if (user_id === undefined || !(yield* roleOf(user_id))) return false
      yield* dropExpired(now())
      yield* noteJoined(user_id, isoTime(now()))
      yield* storeLogin(id, { user_id, expires_at })
      yield* recordAudit({ actor: user_id, action: 'auth.sign_in', subject: id })
      return true
    })
    return isSignedIn ? this.#tokenOf(id, expires_at) : undefined
  }

  /** Who signs in with a provider, by what it says about them. */
  async enterWithClaims(claims: Claims, options: OidcOptions): Promise<string | undefined> {
    const { now, randomBytes } = this.#tools
    const newcomer = { id: `user_${randomBytes(12).toString('hex')}`, created_at: isoTime(now()) }
    return this.enter(() => enterWithClaims({ options, claims, newcomer }))
  }

  /** Whether somebody signs in with this provider. */
  async isOf(user_id: string, issuer: string): Promise<boolean> {
    return (await this.#engine.select('SELECT id FROM users WHERE id = ? AND issuer = ?', [user_id, issuer])).length > 0
  }

  /** Prolongs a login and gives it a new token. */
  async refresh({ user_id, credential }: Caller): Promise<string> {
    const expires_at = this.#tools.now() + LOGIN_MS
    await this.#engine.write(() => storeLogin(credential.id, { user_id, expires_at }))
    return this.#tokenOf(credential.id, expires_at)
  }

  async signOut({ user_id, credential }: Caller): Promise<void> {
    await this.#engine.write(function* () {
      const hasEnded = yield* endLogin(credential.id)
      if (hasEnded) yield* recordAudit({ actor: user_id, action: 'auth.sign_out', subject: credential.id })
    })
    this.#ended(credential)
  }

  /** They are signed out at once, everywhere, and so are the visitors of their account. */
  async removeMember(actor: string, user_id: string): Promise<void> {
    for (const credential of await this.members.remove(actor, user_id)) this.#ended(credential)
  }

  async revokeKey(user_id: string, key_id: string): Promise<void> {
    const tokens = await this.keys.revoke(user_id, key_id)
    this.#ended({ kind: 'key', id: key_id })
    this.#endedTokens(tokens)
  }

  /** A token for one of the account's visitors, made with one of its keys. */
  async createToken(account_id: string, key_id: string, body: CreateToken): Promise<CreatedToken> {
    const { created, ended } = await this.tokens.create(account_id, key_id, body)
    this.#endedTokens(ended)
    return created
  }

  async revokeToken(account_id: string, id: string): Promise<void> {
    await this.tokens.revoke(account_id, id)
    this.#endedTokens([id])
  }

  /** All of a visitor's; returns how many of ours there were. */
  async revokeTokensOf(account_id: string, subject: string): Promise<number> {
    const ended = await this.tokens.revokeOf(account_id, subject)
    this.#endedTokens(ended)
    return ended.length
  }

  /** The user id of an account's visitor; `undefined` when nobody ever came under that name. */
  async findSubject(account_id: string, subject: string): Promise<string | undefined> {
    return this.#engine.read(() => findSubject(account_id, subject))
  }

  async identity(user_id: string): Promise<Identity | undefined> {
    return this.#engine.read(() => findIdentity(user_id))
  }

  /** Those of the credentials that are no longer good; one look at the database for all of them. */
  async endedOf(credentials: readonly Credential[]): Promise<Credential[]> {
    const ids = (kind: Credential['kind']) => credentials.filter((one) => one.kind === kind).map(({ id }) => id)
    const now = this.#tools.now()
    const products = this.#products
    const live = await this.#engine.read(function* () {
      return new Set([
        ...(yield* liveKeys(ids('key'))),
        ...(yield* liveLogins(ids('login'), now)),
        ...(yield* liveTokens(ids('token'))),
        ...(products ? yield* products.live(credentials.filter((one) => one.kind === 'jwt')) : []),
      ])
    })
    return credentials.filter(({ id }) => !live.has(id))
  }

  /** Calls back when a key or a token is revoked or a login ends in this process; `endedOf` finds what others ended. */
  onEnded(listener: (credential: Credential) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#products?.[Symbol.dispose]()
    await this.#usage[Symbol.asyncDispose]()
  }

  async #findLogin(id: string): Promise<Pick<Caller, 'user_id' | 'role'> | undefined> {
    const { now } = this.#tools
    return this.#engine.read(function* () {
      const login = yield* findLogin(id, now())
      const role = login && (yield* roleOf(login.user_id))
      return role && { user_id: login.user_id, role }
    })
  }

  #ended(credential: Credential): void {
    for (const listener of this.#listeners) listener(credential)
  }

  #endedTokens(ids: readonly string[]): void {
    for (const id of ids) this.#ended({ kind: 'token', id })
  }

  #tokenOf(login: string, expires_at: number): string {
    return signToken(this.#loginKey, { login, expires_at })
  }

  /** A token that carries our signature says itself which login it belongs to. */
  #loginOf(token: string): string | undefined {
    const payload = readToken(this.#loginKey, token) as { login: string; expires_at: number } | undefined
    return payload && payload.expires_at > this.#tools.now() ? payload.login : undefined
  }
}
