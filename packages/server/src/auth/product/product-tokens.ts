import type { Egress } from '../../egress/egress.ts'
import { recordAudit } from '../../store/audit.ts'
import type { Engine } from '../../store/engine.ts'
import { runSql, type Work } from '../../store/work.ts'
import { type AuthTools, type Caller, type Credential, isoTime, sha256 } from '../tools.ts'
import { ensureSubject } from '../users.ts'
import { Jwks, type JwksTimes, type KeysChange } from './jwks.ts'
import { fixedKey, type SigningKeys } from './signing-key.ts'
import { type SignInRules, signInRules } from './sign-in-rules.ts'
import { type Claims, isInTime, JwtProblem, type Problem, verifyJwt } from './verify-jwt.ts'
import type { VisitorsOptions } from './visitors-options.ts'

/** What accepting a product's tokens needs of the world. */
export type ProductSignIn = {
  options: VisitorsOptions
  egress: Pick<Egress, 'request'>
  /** A clock that cannot be set, in milliseconds. */
  elapsed: () => number
  onRefused: (problem: Problem) => void
  onKeys: (change: KeysChange) => void
  /** How often the product's keys are asked for. */
  times?: JwksTimes
}

type Setting = { engine: Engine; tools: AuthTools; account_id: string }
type ProductCredential = Extract<Credential, { kind: 'jwt' }>
type UserRow = { id: string; display_name: string | null; revoked_before: number | null }

const MAX_TOKEN_BYTES = 8 * 1024
/** Tokens that were found good, so that a page that sends its own with everything has it checked once. */
const REMEMBERED = 10_000
const FORM = /^[\w-]+\.[\w-]+\.[\w-]+$/

/** The tokens that a product's own sign-in makes for its visitors. Kept nowhere; what they say about a visitor is. */
export class ProductTokens implements Disposable {
  readonly #setting: Setting
  readonly #rules: SignInRules
  readonly #keys: SigningKeys
  readonly #onRefused: (problem: Problem) => void
  /** By the hash of the token; the one used last stands last. */
  readonly #good = new Map<string, Claims>()

  constructor({ options, egress, elapsed, onRefused, onKeys, times }: ProductSignIn, setting: Setting) {
    this.#setting = setting
    this.#rules = signInRules(options, setting.tools.now)
    const { jwks, publicKey, secret } = options
    this.#keys =
      jwks === undefined
        ? fixedKey({ ...(publicKey !== undefined && { publicKey }), ...(secret !== undefined && { secret }) })
        : new Jwks({ url: jwks, egress, elapsed, onChange: onKeys, times })
    this.#onRefused = onRefused
  }

  /** `undefined` for a text that is none, or is over. Throws `sign_in_unavailable` when that cannot be known just now. */
  async find(token: string): Promise<Caller | undefined> {
    if (!FORM.test(token)) return undefined
    try {
      return await this.#callerOf(token)
    } catch (error) {
      if (!(error instanceof JwtProblem)) throw error
      this.#onRefused(error.problem)
      return undefined
    }
  }

  /** Which of these still hold. */
  *live(credentials: readonly ProductCredential[]): Work<string[]> {
    const users = [...new Set(credentials.map(({ user_id }) => user_id))]
    if (users.length === 0) return []
    const rows = yield* runSql<UserRow>(
      `SELECT id, display_name, revoked_before FROM users WHERE id IN (${users.map(() => '?').join(', ')})`,
      users,
    )
    const found = new Map(rows.map((row) => [row.id, row]))
    return credentials
      .filter(({ user_id, key_id, iat }) => {
        const user = found.get(user_id)
        return user !== undefined && this.#keys.has(key_id) && !this.#isRevoked(iat, user)
      })
      .map(({ id }) => id)
  }

  [Symbol.dispose](): void {
    this.#keys[Symbol.dispose]()
  }

  async #callerOf(token: string): Promise<Caller> {
    if (token.length > MAX_TOKEN_BYTES) throw new JwtProblem('form')
    const id = sha256(token)
    const known = this.#known(id)
    const claims = known ?? (await verifyJwt(token, this.#rules, this.#keys))
    const user_id = await this.#userOf(claims, known === undefined)
    this.#good.delete(id)
    this.#good.set(id, claims)
    if (this.#good.size > REMEMBERED) this.#good.delete(this.#good.keys().next().value!)
    const { subject, iat, exp, key_id } = claims
    const { scopes, clockSkewSeconds, now } = this.#rules
    const expires_at = Math.floor((exp + clockSkewSeconds) * 1000)
    return {
      user_id,
      role: 'member',
      credential: { kind: 'jwt', id, lastsMs: expires_at - now(), user_id, iat, key_id },
      visitor: { subject, scopes, expires_at },
    }
  }

  #known(id: string): Claims | undefined {
    const claims = this.#good.get(id)
    if (!claims || !this.#keys.has(claims.key_id)) return undefined
    if (isInTime(claims, this.#rules)) return claims
    this.#good.delete(id)
    throw new JwtProblem('time', 'exp')
  }

  /** Written down when somebody is new, or their token when it says another name. */
  async #userOf({ subject, display_name, iat }: Claims, isNew: boolean): Promise<string> {
    const { engine, account_id } = this.#setting
    const [user] = await engine.select<UserRow>(
      'SELECT id, display_name, revoked_before FROM users WHERE account_id = ? AND external_id = ?',
      [account_id, subject],
    )
    if (user && this.#isRevoked(iat, user)) throw new JwtProblem('revoked')
    const isRenamed = isNew && display_name !== undefined && display_name !== user?.display_name
    return user && !isRenamed ? user.id : this.#write(subject, display_name)
  }

  /**
   * The product's clock says when it made a token, and may be ahead by as much as is allowed: until then nobody knows which
   * of both came first.
   */
  #isRevoked(iat: number, { revoked_before }: UserRow): boolean {
    return revoked_before !== null && (iat - this.#rules.clockSkewSeconds) * 1000 <= revoked_before
  }

  #write(subject: string, display_name: string | undefined): Promise<string> {
    const { engine, account_id, tools } = this.#setting
    const id = `user_${tools.randomBytes(12).toString('hex')}`
    const created_at = isoTime(tools.now())
    return engine.write(function* () {
      const user_id = yield* ensureSubject({ id, account_id, subject, display_name, created_at })
      yield* recordAudit({ actor: user_id, action: 'auth.sign_in', subject: user_id, detail: subject })
      return user_id
    })
  }
}
