import type { Engine } from '../store/engine.ts'
import type { Identity, UserRole } from '@parley/protocol/rest'
import { runSql, type Work } from '../store/work.ts'

/** The owner's id. The first start creates them; of several servers that start at once, one does. */
export function* ensureOwner(id: string, created_at: string): Work<string> {
  const [known] = yield* findOwner()
  if (known) return known.id
  yield* runSql(
    `INSERT INTO users (id, username, display_name, is_owner, created_at) VALUES (?, 'owner', NULL, 1, ?)
      ON CONFLICT (username) DO NOTHING`,
    [id, created_at],
  )
  const [owner] = yield* findOwner()
  return owner!.id
}

/** What somebody may do here who is no visitor; `undefined` when they were removed, or never were. */
export function* roleOf(user_id: string): Work<UserRole | undefined> {
  const [user] = yield* runSql<{ is_owner: number }>('SELECT is_owner FROM users WHERE id = ? AND removed_at IS NULL', [
    user_id,
  ])
  return user && (user.is_owner === 1 ? 'owner' : 'member')
}

/** A visitor goes by the name that their product knows them under. */
export function* findIdentity(user_id: string): Work<Identity | undefined> {
  const [user] = yield* runSql<Identity>(
    'SELECT id, coalesce(external_id, username) AS username, avatar_url, created_at, display_name FROM users WHERE id = ?',
    [user_id],
  )
  return user
}

/** Whether what this user has is an owner's, or of a visitor of theirs. */
export async function isOfOwner(engine: Engine, user_id: string): Promise<boolean> {
  const rows = await engine.select(
    `SELECT u.id FROM users u LEFT JOIN users a ON a.id = u.account_id
      WHERE u.id = ? AND coalesce(a.is_owner, u.is_owner) = 1`,
    [user_id],
  )
  return rows.length > 0
}

/** Notes when somebody came in for the first time. */
export function* noteJoined(user_id: string, at: string): Work<void> {
  yield* runSql('UPDATE users SET joined_at = ? WHERE id = ? AND joined_at IS NULL', [at, user_id])
}

export type NewSubject = {
  /** For somebody who was never here. */
  id: string
  account_id: string
  subject: string
  display_name: string | undefined
  created_at: string
}

/** The visitor's user id. Of several tokens made at once for somebody new, one makes the user. */
export function* ensureSubject({ id, account_id, subject, display_name, created_at }: NewSubject): Work<string> {
  yield* runSql(
    `INSERT INTO users (id, username, display_name, created_at, account_id, external_id) VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT (account_id, external_id) DO UPDATE SET display_name = coalesce(excluded.display_name, users.display_name)`,
    [id, id, display_name ?? null, created_at, account_id, subject],
  )
  return (yield* findSubject(account_id, subject))!
}

/** Whatever their product has signed for them until now is over, also of somebody who was never here. */
export function* revokeSubject(subject: NewSubject): Work<void> {
  const user_id = yield* ensureSubject(subject)
  yield* runSql('UPDATE users SET revoked_before = now_ms() WHERE id = ?', [user_id])
}

export function* findSubject(account_id: string, subject: string): Work<string | undefined> {
  const [user] = yield* runSql<{ id: string }>('SELECT id FROM users WHERE account_id = ? AND external_id = ?', [
    account_id,
    subject,
  ])
  return user?.id
}

/** What their product calls a visitor; `null` for people of the account itself. */
export async function subjectOf(engine: Engine, user_id: string): Promise<string | null> {
  const [user] = await engine.select<{ external_id: string | null }>('SELECT external_id FROM users WHERE id = ?', [
    user_id,
  ])
  return user?.external_id ?? null
}

/** The first one: what is configured, and what is on the server's own machine, is theirs. */
function* findOwner(): Work<{ id: string }[]> {
  return yield* runSql<{ id: string }>(
    'SELECT id FROM users WHERE is_owner = 1 AND invited_by IS NULL AND issuer IS NULL ORDER BY created_at LIMIT 1',
    [],
  )
}

export async function isOwner(engine: Engine, user_id: string): Promise<boolean> {
  const rows = await engine.select('SELECT id FROM users WHERE id = ? AND is_owner = 1 AND removed_at IS NULL', [
    user_id,
  ])
  return rows.length > 0
}
