import { runSql, type Work } from '../store/work.ts'
import { sha256 } from './tools.ts'

/**
 * One-time codes and logins are rows of `meta`, so that every instance knows them: `login_code:<hash>` and
 * `login:<id>`, both with `<expires_at>:<user_id>` as their value.
 */
export type Login = { user_id: string; expires_at: number }

export function* storeCode(code: string, login: Login): Work<void> {
  yield* put(codeKey(code), login)
}

/** Whether there is such a code, so that trying one out costs everybody else no write. */
export function* hasCode(code: string): Work<boolean> {
  const rows = yield* runSql('SELECT key FROM meta WHERE key = ?', [codeKey(code)])
  return rows.length > 0
}

/** Takes the code: of several who bring the same one, one gets it. */
export function* takeCode(code: string, now: number): Work<Login | undefined> {
  const [row] = yield* runSql<{ value: string }>('DELETE FROM meta WHERE key = ? RETURNING value', [codeKey(code)])
  return row && unexpired(row.value, now)
}

/** Begins a login, or prolongs it. */
export function* storeLogin(id: string, login: Login): Work<void> {
  yield* put(loginKey(id), login)
}

export function* findLogin(id: string, now: number): Work<Login | undefined> {
  const [row] = yield* runSql<{ value: string }>('SELECT value FROM meta WHERE key = ?', [loginKey(id)])
  return row && unexpired(row.value, now)
}

/** `false` when it had ended before. */
export function* endLogin(id: string): Work<boolean> {
  const rows = yield* runSql('DELETE FROM meta WHERE key = ? RETURNING key', [loginKey(id)])
  return rows.length > 0
}

/** Ends every login of somebody, and what could become one; returns the logins' ids. */
export function* endLoginsOf(user_id: string): Work<string[]> {
  const rows = yield* runSql<{ key: string; value: string }>(`SELECT key, value FROM meta WHERE key LIKE 'login%'`, [])
  const theirs = rows.filter(({ value }) => readLogin(value).user_id === user_id).map(({ key }) => key)
  for (const key of theirs) yield* runSql('DELETE FROM meta WHERE key = ?', [key])
  return theirs.filter((key) => key.startsWith(loginKey(''))).map((key) => key.slice(loginKey('').length))
}

/** Of several codes for one person the newest is good: a link that went astray ends with the next one. */
export function* endCodesOf(user_id: string): Work<void> {
  const rows = yield* runSql<{ key: string; value: string }>('SELECT key, value FROM meta WHERE key LIKE ?', [
    `${CODE}%`,
  ])
  for (const { key, value } of rows)
    if (readLogin(value).user_id === user_id) yield* runSql('DELETE FROM meta WHERE key = ?', [key])
}

/** Which of these logins still hold. */
export function* liveLogins(ids: readonly string[], now: number): Work<string[]> {
  if (ids.length === 0) return []
  const marks = ids.map(() => '?').join(', ')
  const rows = yield* runSql<{ key: string; value: string }>(
    `SELECT key, value FROM meta WHERE key IN (${marks})`,
    ids.map(loginKey),
  )
  return rows.filter(({ value }) => unexpired(value, now)).map(({ key }) => key.slice(loginKey('').length))
}

/** Forgets codes and logins whose time is over. */
export function* dropExpired(now: number): Work<void> {
  const rows = yield* runSql<{ key: string; value: string }>(`SELECT key, value FROM meta WHERE key LIKE 'login%'`, [])
  for (const { key, value } of rows) if (!unexpired(value, now)) yield* runSql('DELETE FROM meta WHERE key = ?', [key])
}

function* put(key: string, { user_id, expires_at }: Login): Work<void> {
  yield* runSql('INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value', [
    key,
    `${expires_at}:${user_id}`,
  ])
}

function unexpired(value: string, now: number): Login | undefined {
  const login = readLogin(value)
  return login.expires_at > now ? login : undefined
}

function readLogin(value: string): Login {
  const colon = value.indexOf(':')
  return { user_id: value.slice(colon + 1), expires_at: Number(value.slice(0, colon)) }
}

const CODE = 'login_code:'
const codeKey = (code: string) => CODE + sha256(code)
const loginKey = (id: string) => `login:${id}`
