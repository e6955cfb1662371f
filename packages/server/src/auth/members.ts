import { AgentError } from '@parley/protocol'
import type { ChangeUser, Invite, User, UserPage, UserQuery } from '@parley/protocol/rest'
import { changeUserSchema, inviteSchema, userQuerySchema } from '@parley/protocol/schemas'
import { recordAudit } from '../store/audit.ts'
import type { Engine } from '../store/engine.ts'
import { runSql, type Work } from '../store/work.ts'
import { revokeKeysOf } from './api-keys.ts'
import { endCodesOf, endLoginsOf, storeCode } from './logins.ts'
import { type AuthTools, type Credential, isoTime } from './tools.ts'
import { endTokensOfAccount } from './visitor-tokens.ts'

/** How long an invitation works. */
const INVITATION_MS = 7 * 24 * 3_600_000

/** A code that signs somebody in, once. Only its hash is stored: this is the one time that it can be read. */
export type Invited = { user: User; code: string; expires_at: string }

type UserRow = Omit<User, 'role' | 'status' | 'last_active_at'> & {
  is_owner: number
  joined_at: string | null
  invited_by: string | null
  /** When a session of theirs changed, and when a key of theirs was used. Of somebody new there is neither. */
  last_session?: string | null
  last_key?: string | null
}

const COLUMNS = 'id, username, display_name, is_owner, created_at, joined_at, invited_by'
const WITH_ACTIVITY = `${COLUMNS},
  (SELECT max(updated_at) FROM sessions WHERE sessions.user_id = users.id) AS last_session,
  (SELECT max(last_used_at) FROM api_keys WHERE api_keys.user_id = users.id) AS last_key`
/** People of this server: no visitors, and nobody who was removed. */
const PERSON = 'account_id IS NULL AND removed_at IS NULL'

/** Who is in, beside visitors. Owners invite, change and remove; the first of them stays, for the configuration's things are theirs. */
export class Members {
  readonly #engine: Engine
  readonly #tools: AuthTools
  readonly #first: string

  constructor(engine: Engine, tools: AuthTools, first_owner: string) {
    this.#engine = engine
    this.#tools = tools
    this.#first = first_owner
  }

  async list(query: UserQuery): Promise<UserPage> {
    const { username, limit, offset } = userQuerySchema.parse(query)
    const from = `FROM users WHERE ${PERSON}${username === undefined ? '' : ' AND username = ?'}`
    const values = username === undefined ? [] : [username]
    return this.#engine.read(function* () {
      const [count] = yield* runSql<{ n: number }>(`SELECT count(*) AS n ${from}`, values)
      const rows = yield* runSql<UserRow>(`SELECT ${WITH_ACTIVITY} ${from} ORDER BY created_at, id LIMIT ? OFFSET ?`, [
        ...values,
        limit,
        offset,
      ])
      return { items: rows.map(shown), total: count?.n ?? 0 }
    })
  }

  async invite(actor: string, body: Invite): Promise<Invited> {
    const { username, display_name, role } = inviteSchema.parse(body)
    const id = `user_${this.#tools.randomBytes(12).toString('hex')}`
    const { code, expires_at } = this.#newCode()
    const created_at = isoTime(this.#tools.now())
    const row = await this.#engine.write(function* () {
      const [added] = yield* runSql<UserRow>(
        `INSERT INTO users (id, username, display_name, is_owner, created_at, invited_by) VALUES (?, ?, ?, ?, ?, ?)
          ON CONFLICT (username) DO NOTHING RETURNING ${COLUMNS}`,
        [id, username, display_name ?? null, role === 'owner' ? 1 : 0, created_at, actor],
      )
      if (!added) return undefined
      yield* storeCode(code, { user_id: id, expires_at })
      yield* recordAudit({ actor, action: 'user.invite', subject: id, detail: `${role} ${username}` })
      return added
    })
    if (!row) throw new AgentError('already_exists', `There is a user named ${username} already.`)
    return { user: shown(row), code, expires_at: isoTime(expires_at) }
  }

  /** Another link for somebody who lost theirs, or is at another machine. Unused ones from before are over. */
  async inviteAgain(actor: string, user_id: string): Promise<Invited> {
    const { code, expires_at } = this.#newCode()
    const user = await this.#engine.write(function* () {
      const row = yield* demandPerson(user_id)
      yield* endCodesOf(user_id)
      yield* storeCode(code, { user_id, expires_at })
      yield* recordAudit({ actor, action: 'user.link', subject: user_id })
      return shown(row)
    })
    return { user, code, expires_at: isoTime(expires_at) }
  }

  async change(actor: string, user_id: string, body: ChangeUser): Promise<User> {
    const { role, display_name } = changeUserSchema.parse(body)
    if (role === 'member') this.#demandNotFirst(user_id)
    return this.#engine.write(function* () {
      const before = yield* demandPerson(user_id)
      const is_owner = role === undefined ? before.is_owner : Number(role === 'owner')
      const name = display_name === undefined ? before.display_name : display_name
      yield* runSql('UPDATE users SET is_owner = ?, display_name = ? WHERE id = ?', [is_owner, name, user_id])
      if (is_owner !== before.is_owner)
        yield* recordAudit({ actor, action: 'user.role', subject: user_id, detail: role! })
      return shown({ ...before, is_owner, display_name: name })
    })
  }

  /** They are out from here on, and so are the visitors they let in; returns all that ended. Their name is free again. */
  async remove(actor: string, user_id: string): Promise<Credential[]> {
    this.#demandNotFirst(user_id)
    const at = isoTime(this.#tools.now())
    return this.#engine.write(function* () {
      const { username } = yield* demandPerson(user_id)
      yield* runSql(
        `UPDATE users SET removed_at = ?, username = id, is_owner = 0, issuer = NULL, issuer_subject = NULL WHERE id = ?`,
        [at, user_id],
      )
      const tokens = yield* endTokensOfAccount(user_id)
      const keys = yield* revokeKeysOf(user_id, at)
      const logins = yield* endLoginsOf(user_id)
      yield* recordAudit({ actor, action: 'user.remove', subject: user_id, detail: username })
      const ended = (kind: 'key' | 'login' | 'token', ids: readonly string[]) => ids.map((id) => ({ kind, id }))
      return [...ended('key', keys), ...ended('login', logins), ...ended('token', tokens)]
    })
  }

  #newCode(): { code: string; expires_at: number } {
    return { code: this.#tools.randomBytes(24).toString('base64url'), expires_at: this.#tools.now() + INVITATION_MS }
  }

  #demandNotFirst(user_id: string): void {
    if (user_id !== this.#first) return
    throw new AgentError('forbidden', 'The first owner of this server stays its owner: what is configured is theirs.')
  }
}

function* demandPerson(user_id: string): Work<UserRow> {
  const [row] = yield* runSql<UserRow>(`SELECT ${WITH_ACTIVITY} FROM users WHERE id = ? AND ${PERSON}`, [user_id])
  if (!row) throw new AgentError('not_found', `There is no user ${user_id}.`)
  return row
}

function shown({ is_owner, joined_at, invited_by, last_session, last_key, ...person }: UserRow): User {
  const active = [last_session, last_key].filter((at) => at !== null && at !== undefined)
  return {
    ...person,
    role: is_owner === 1 ? 'owner' : 'member',
    status: invited_by !== null && joined_at === null ? 'invited' : 'active',
    last_active_at: active.toSorted().at(-1) ?? null,
  }
}
