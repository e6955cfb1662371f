import { timingSafeEqual } from 'node:crypto'
import { AgentError } from '@parley/protocol'
import type { CreatedToken, CreateToken, Scope, TokenPage, TokenQuery } from '@parley/protocol/rest'
import { createTokenSchema, tokenQuerySchema } from '@parley/protocol/schemas'
import { recordAudit } from '../store/audit.ts'
import type { Engine } from '../store/engine.ts'
import { runSql, type Work } from '../store/work.ts'
import { type AuthTools, isoTime, sha256 } from './tools.ts'
import { ensureSubject, revokeSubject } from './users.ts'

/** Of one visitor. Whoever makes more, as a page does that is loaded again and again, ends the oldest. */
const MAX_LIVE = 50
/** A clock that was set back to before a token was made would bring it its whole life again; it may differ by this much. */
const CLOCK_SLACK_MS = 60_000
const ID_BYTES = 12
const SECRET_BYTES = 32
const TEXT = /^visitor-([0-9a-f]{24})_[A-Za-z0-9_-]{43}$/

/** What makes a token good, on every path: its time, by the database's clock, and the key that it was made with. */
const LIVE = `t.expires_at > now_ms() AND t.created_at <= now_ms() + ${CLOCK_SLACK_MS}
  AND EXISTS (SELECT 1 FROM api_keys k WHERE k.id = t.key_id AND k.revoked_at IS NULL)`

/** A visitor who came in with a token. */
export type Visitor = {
  token_id: string
  /** What it was made with. */
  key_id: string
  user_id: string
  subject: string
  scopes: Scope[]
  expires_at: number
  /** How long the token is good from now on. */
  lastsMs: number
}

type TokenRow = { id: string; user_id: string; subject: string; scopes: string; created_at: number; expires_at: number }

/** The tokens of an account's visitors. They are looked up, so that they can be revoked; what is over is deleted. */
export class VisitorTokens {
  readonly #engine: Engine
  readonly #tools: AuthTools

  constructor(engine: Engine, tools: AuthTools) {
    this.#engine = engine
    this.#tools = tools
  }

  /** Also tells which older ones had to go. */
  async create(
    account_id: string,
    key_id: string,
    body: CreateToken,
  ): Promise<{ created: CreatedToken; ended: string[] }> {
    const { subject, scopes, expires_in, display_name } = createTokenSchema.parse(body)
    const { randomBytes, now } = this.#tools
    const idPart = randomBytes(ID_BYTES).toString('hex')
    const id = `tok_${idPart}`
    const token = `visitor-${idPart}_${randomBytes(SECRET_BYTES).toString('base64url')}`
    const newcomer = `user_${randomBytes(ID_BYTES).toString('hex')}`
    const created_at = isoTime(now())
    const { user_id, expires_at, ended } = await this.#engine.write(function* () {
      yield* dropExpiredTokens()
      const visitor = yield* ensureSubject({ id: newcomer, account_id, subject, display_name, created_at })
      const oldest = yield* endTokens(account_id, ['t.user_id = ?', visitor], MAX_LIVE - 1)
      const [row] = yield* runSql<{ expires_at: number }>(
        `INSERT INTO visitor_tokens (id, hash, account_id, user_id, key_id, scopes, created_at, expires_at)
          VALUES (?, ?, ?, ?, ?, ?, now_ms(), now_ms() + ?) RETURNING expires_at`,
        [id, sha256(token), account_id, visitor, key_id, scopes.join(' '), expires_in * 1000],
      )
      yield* recordAudit({ actor: account_id, action: 'visitor_token.create', subject: id, detail: subject })
      return { user_id: visitor, expires_at: row!.expires_at, ended: oldest }
    })
    return { created: { token, id, subject, user_id, scopes, expires_at: isoTime(expires_at) }, ended }
  }

  /** The live ones, the newest first. */
  async list(account_id: string, query: TokenQuery): Promise<TokenPage> {
    const { subject, limit, offset } = tokenQuerySchema.parse(query)
    const from = `FROM visitor_tokens t JOIN users u ON u.id = t.user_id
      WHERE t.account_id = ?${subject === undefined ? '' : ' AND u.external_id = ?'} AND ${LIVE}`
    const values = subject === undefined ? [account_id] : [account_id, subject]
    return this.#engine.read(function* () {
      const [count] = yield* runSql<{ n: number }>(`SELECT count(*) AS n ${from}`, values)
      const rows = yield* runSql<TokenRow>(
        `SELECT t.id, t.user_id, u.external_id AS subject, t.scopes, t.created_at, t.expires_at ${from}
          ORDER BY t.created_at DESC, t.id LIMIT ? OFFSET ?`,
        [...values, limit, offset],
      )
      return { items: rows.map(publicToken), total: count?.n ?? 0 }
    })
  }

  async revoke(account_id: string, id: string): Promise<void> {
    const ended = await this.#engine.write(() => endTokens(account_id, ['t.id = ?', id]))
    if (ended.length === 0) throw new AgentError('not_found', `There is no token ${id}.`)
  }

  /** All of a visitor, those of their product's own sign-in too; returns which of ours. */
  async revokeOf(account_id: string, subject: string): Promise<string[]> {
    const isTheirs = 't.user_id IN (SELECT id FROM users WHERE account_id = ? AND external_id = ?)'
    const { randomBytes, now } = this.#tools
    const id = `user_${randomBytes(ID_BYTES).toString('hex')}`
    const created_at = isoTime(now())
    return this.#engine.write(function* () {
      yield* revokeSubject({ id, account_id, subject, display_name: undefined, created_at })
      return yield* endTokens(account_id, [isTheirs, account_id, subject])
    })
  }

  /** `undefined` for a text that is none of them, and for a token that is over. */
  async find(token: string): Promise<Visitor | undefined> {
    const [, idPart] = TEXT.exec(token) ?? []
    if (idPart === undefined) return undefined
    const [row] = await this.#engine.select<TokenRow & { hash: string; key_id: string; now: number }>(
      `SELECT t.id, t.hash, t.key_id, t.user_id, t.scopes, t.expires_at, u.external_id AS subject, now_ms() AS now
        FROM visitor_tokens t JOIN users u ON u.id = t.user_id WHERE t.id = ? AND ${LIVE}`,
      [`tok_${idPart}`],
    )
    if (!row || !timingSafeEqual(Buffer.from(row.hash), Buffer.from(sha256(token)))) return undefined
    const { id, key_id, user_id, subject, expires_at } = row
    return { token_id: id, key_id, user_id, subject, scopes: scopesOf(row), expires_at, lastsMs: expires_at - row.now }
  }
}

/** Which of these tokens are still good. */
export function* liveTokens(ids: readonly string[]): Work<string[]> {
  if (ids.length === 0) return []
  const marks = ids.map(() => '?').join(', ')
  const rows = yield* runSql<{ id: string }>(
    `SELECT t.id FROM visitor_tokens t WHERE t.id IN (${marks}) AND ${LIVE}`,
    ids,
  )
  return rows.map(({ id }) => id)
}

/** Ends those that were made with a key. */
export function endTokensOf(account_id: string, key_id: string): Work<string[]> {
  return endTokens(account_id, ['t.key_id = ?', key_id])
}

/** Ends all that somebody made. */
export function endTokensOfAccount(account_id: string): Work<string[]> {
  return endTokens(account_id, ['t.account_id = ?', account_id])
}

export function* dropExpiredTokens(): Work<void> {
  yield* runSql('DELETE FROM visitor_tokens WHERE expires_at <= now_ms()', [])
}

/** Deletes what fits a condition with these values, but for the newest `keep`; returns their ids. */
function* endTokens(account_id: string, [fits, ...values]: [string, ...unknown[]], keep = 0): Work<string[]> {
  const rows = yield* runSql<{ id: string; subject: string }>(
    `SELECT t.id, u.external_id AS subject FROM visitor_tokens t JOIN users u ON u.id = t.user_id
      WHERE t.account_id = ? AND ${fits} ORDER BY t.created_at DESC, t.id`,
    [account_id, ...values],
  )
  const ended = rows.slice(keep)
  for (const { id, subject } of ended) {
    yield* runSql('DELETE FROM visitor_tokens WHERE id = ?', [id])
    yield* recordAudit({ actor: account_id, action: 'visitor_token.revoke', subject: id, detail: subject })
  }
  return ended.map(({ id }) => id)
}

function publicToken(row: TokenRow): TokenPage['items'][number] {
  const { id, subject, user_id, created_at, expires_at } = row
  return {
    id,
    subject,
    user_id,
    scopes: scopesOf(row),
    created_at: isoTime(created_at),
    expires_at: isoTime(expires_at),
  }
}

function scopesOf({ scopes }: Pick<TokenRow, 'scopes'>): Scope[] {
  return scopes.split(' ') as Scope[]
}
