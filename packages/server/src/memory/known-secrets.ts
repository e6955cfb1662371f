import type { Seal } from '../auth/seal.ts'
import { readStored } from '../store/stored-json.ts'
import { runSql, type Work } from '../store/work.ts'

/** A value that no memory may hold, and what it is called. */
export type KnownSecret = { name: string; value: string }

const SECRET_NAME = /key|token|secret|pass|pwd|credential|auth|dsn|private|cookie|(?:database|redis)_?url/i
/** Shorter ones are words that people use. */
const SECRET_LENGTH = 8
/** Of variables that a program gave its own run, few are secret; short values would refuse half of what is said. */
const GIVEN_LENGTH = 8
const NAMED_LENGTH = 4
const CONFIG_DEPTH = 6

/** Of the server itself: its environment, and what its configuration says under a name like `apiKey`. */
export function serverSecrets(
  environment: Readonly<Record<string, string | undefined>>,
  config: Readonly<Record<string, unknown>>,
): KnownSecret[] {
  const variables = Object.entries(environment).filter(([name]) => SECRET_NAME.test(name))
  const { tools: _own, langchainTools: _foreign, ...options } = config
  return [...variables.flatMap(([name, value]) => secretsIn(name, value)), ...inConfig(options, [])].filter(
    ({ value }) => value.length >= SECRET_LENGTH,
  )
}

function inConfig(options: object, path: readonly string[]): KnownSecret[] {
  return Object.entries(options).flatMap(([name, value]: [string, unknown]) => {
    const place = [...path, name]
    if (typeof value === 'object' && value !== null) return place.length > CONFIG_DEPTH ? [] : inConfig(value, place)
    const isSecret = SECRET_NAME.test(name) || ['env', 'headers'].includes(path.at(-1) ?? '')
    return isSecret && typeof value === 'string' ? secretsIn(place.join('.'), value) : []
  })
}

/** Of an address the password is the secret. */
function secretsIn(name: string, value: string | undefined): KnownSecret[] {
  if (value === undefined) return []
  const address = URL.canParse(value) ? new URL(value) : undefined
  if (!address?.host) return [{ name, value }]
  return address.password === '' ? [] : [{ name, value: decodeURIComponent(address.password) }]
}

/** The variables that a session, and the run that is under way in it, were given. */
export function* sessionSecrets(session_id: string, seal: Pick<Seal, 'open'>): Work<KnownSecret[]> {
  const rows = yield* runSql<{ env: string | null; secrets: string | null }>(
    `SELECT s.env, r.secrets FROM sessions s LEFT JOIN gates g ON g.session_id = s.id LEFT JOIN runs r ON r.id = g.run_id
      WHERE s.id = ?`,
    [session_id],
  )
  const variables = rows.flatMap(({ env, secrets }) => [...opened(env, seal), ...opened(secrets, seal)])
  return variables.filter(({ name, value }) => value.length >= (SECRET_NAME.test(name) ? NAMED_LENGTH : GIVEN_LENGTH))
}

function opened(sealed: string | null, seal: Pick<Seal, 'open'>): KnownSecret[] {
  if (sealed === null) return []
  try {
    const variables = readStored(seal.open(sealed)) ?? {}
    return Object.entries(variables).flatMap(([name, value]) => (typeof value === 'string' ? [{ name, value }] : []))
  } catch {
    // Sealed with another secret: no run has these values either.
    return []
  }
}
