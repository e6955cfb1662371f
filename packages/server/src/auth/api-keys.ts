import { timingSafeEqual } from 'node:crypto'
import { AgentError } from '@parley/protocol'
import type { ApiKey, CreatedApiKey, UserRole } from '@parley/protocol/rest'
import type { Engine } from '../store/engine.ts'
import { run, runSql, type Work } from '../store/work.ts'
import { recordAudit } from '../store/audit.ts'
import { idOfForeignKey, idsOf, maskKey, newKey } from './key-text.ts'
import { type AuthTools, isoTime, sha256 } from './tools.ts'
import { endTokensOf } from './visitor-tokens.ts'

type KeyRow = Omit<ApiKey, 'plaintext'> & { user_id: string; hash: string }

const COLUMNS = ['id', 'user_id', 'name', 'hash', 'masked', 'created_at', 'last_used_at'] as const
const OWNER_KEY = 'owner_key'

/** A user's API keys. What belongs to somebody else is not found; a revoked key is gone. */
export class ApiKeys {
  readonly #engine: Engine
  readonly #tools: AuthTools

  constructor(engine: Engine, tools: AuthTools) {
    this.#engine = engine
    this.#tools = tools
  }

  async create(user_id: string, name: string): Promise<CreatedApiKey> {
    const { id, plaintext } = newKey(this.#tools.randomBytes)
    const row = this.#row(user_id, { id, name, plaintext })
    await this.#engine.write(function* () {
      yield* insertKey(row)
      yield* recordAudit({ actor: user_id, action: 'api_key.create', subject: id, detail: name })
    })
    return { key: publicKey(row), plaintext }
  }

  async list(user_id: string): Promise<ApiKey[]> {
    const query = this.#valid().where('user_id', '=', user_id).orderBy('created_at').orderBy('id')
    return (await this.#engine.read(() => run(query))).map(publicKey)
  }

  async get(user_id: string, key_id: string): Promise<ApiKey> {
    const query = this.#valid().where('id', '=', key_id).where('user_id', '=', user_id)
    const [row] = await this.#engine.read(() => run(query))
    if (!row) throw notFound(key_id)
    return publicKey(row)
  }

  async rename(user_id: string, key_id: string, name: string): Promise<ApiKey> {
    const row = await this.#engine.write(function* () {
      const [changed] = yield* runSql<KeyRow>(
        `UPDATE api_keys SET name = ? WHERE id = ? AND user_id = ? AND revoked_at IS NULL RETURNING ${COLUMNS.join(', ')}`,
        [name, key_id, user_id],
      )
      if (changed) yield* recordAudit({ actor: user_id, action: 'api_key.rename', subject: key_id, detail: name })
      return changed
    })
    if (!row) throw notFound(key_id)
    return publicKey(row)
  }

  /** Ends the tokens that were made with it too, and returns their ids. */
  async revoke(user_id: string, key_id: string): Promise<string[]> {
    const at = isoTime(this.#tools.now())
    const tokens = await this.#engine.write(() => revokeKey(user_id, key_id, at))
    if (!tokens) throw notFound(key_id)
    return tokens
  }

  /** Whose key this is; `undefined` for a key that never was or was revoked. */
  async find(token: string): Promise<{ id: string; user_id: string; role: UserRole } | undefined> {
    const ids = idsOf(token)
    const rows = await this.#engine.select<{ id: string; user_id: string; hash: string; is_owner: number }>(
      `SELECT k.id, k.user_id, k.hash, u.is_owner FROM api_keys k JOIN users u ON u.id = k.user_id AND u.removed_at IS NULL
        WHERE k.revoked_at IS NULL AND k.id IN (${ids.map(() => '?').join(', ')})`,
      ids,
    )
    const given = Buffer.from(sha256(token))
    const row = rows.find(({ hash }) => hash.length === given.length && timingSafeEqual(Buffer.from(hash), given))
    return row && { id: row.id, user_id: row.user_id, role: row.is_owner === 1 ? 'owner' : 'member' }
  }

  /** Sees to it that the owner has exactly this key from the configuration; one configured before it is revoked. */
  async ensureOwnerKey(owner_id: string, plaintext: string): Promise<void> {
    const row = this.#row(owner_id, { id: idOfForeignKey(plaintext), name: 'PARLEY_OWNER_KEY', plaintext })
    await this.#engine.write(function* () {
      const [before] = yield* runSql<{ value: string }>('SELECT value FROM meta WHERE key = ?', [OWNER_KEY])
      if (before && before.value !== row.id) yield* revokeKey(owner_id, before.value, row.created_at)
      const isNew = yield* insertKey(row)
      if (isNew) yield* recordAudit({ actor: owner_id, action: 'api_key.create', subject: row.id, detail: row.name })
      yield* runSql(
        'INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
        [OWNER_KEY, row.id],
      )
    })
  }

  #valid() {
    return this.#engine.db.selectFrom('api_keys').select(COLUMNS).where('revoked_at', 'is', null)
  }

  #row(user_id: string, { id, name, plaintext }: { id: string; name: string; plaintext: string }): KeyRow {
    const created_at = isoTime(this.#tools.now())
    return { id, user_id, name, hash: sha256(plaintext), masked: maskKey(plaintext), created_at, last_used_at: null }
  }
}

/** All of somebody who goes; returns their ids. The visitors' tokens that were made with them are good no more. */
export function* revokeKeysOf(user_id: string, at: string): Work<string[]> {
  const rows = yield* runSql<{ id: string }>(
    'UPDATE api_keys SET revoked_at = ? WHERE user_id = ? AND revoked_at IS NULL RETURNING id',
    [at, user_id],
  )
  return rows.map(({ id }) => id)
}

/** Which of these keys are still good. */
export function* liveKeys(ids: readonly string[]): Work<string[]> {
  if (ids.length === 0) return []
  const marks = ids.map(() => '?').join(', ')
  const rows = yield* runSql<{ id: string }>(
    `SELECT id FROM api_keys WHERE revoked_at IS NULL AND id IN (${marks})`,
    ids,
  )
  return rows.map(({ id }) => id)
}

/** `false` when it was there before; the configuration's word brings a revoked one back. */
function* insertKey({ id, user_id, name, hash, masked, created_at }: KeyRow): Work<boolean> {
  const [known] = yield* runSql<{ id: string }>('SELECT id FROM api_keys WHERE id = ? AND revoked_at IS NULL', [id])
  if (known) return false
  yield* runSql(
    `INSERT INTO api_keys (id, user_id, name, hash, masked, created_at) VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET revoked_at = NULL`,
    [id, user_id, name, hash, masked, created_at],
  )
  return true
}

/** `undefined` when there is no such key. */
function* revokeKey(user_id: string, key_id: string, at: string): Work<string[] | undefined> {
  const rows = yield* runSql(
    'UPDATE api_keys SET revoked_at = ? WHERE id = ? AND user_id = ? AND revoked_at IS NULL RETURNING id',
    [at, key_id, user_id],
  )
  if (rows.length === 0) return undefined
  yield* recordAudit({ actor: user_id, action: 'api_key.revoke', subject: key_id })
  return yield* endTokensOf(user_id, key_id)
}

function publicKey({ id, name, masked, created_at, last_used_at }: KeyRow): ApiKey {
  return { id, name, masked, plaintext: null, created_at, last_used_at }
}

function notFound(key_id: string): AgentError {
  return new AgentError('not_found', `There is no API key ${key_id}.`)
}
