import type { Seal } from '../auth/seal.ts'
import { storedSecrets } from '../auth/stored-secrets.ts'
import { type KnownSecret, SECRET_NAME } from '../config/server-secrets.ts'
import { readStored } from '../store/stored-json.ts'
import { runSql, type Work } from '../store/work.ts'

/** Shorter ones are words that people use. */
const SECRET_LENGTH = 8
/** Of variables that a program gave its own run, few are secret; short values would refuse half of what is said. */
const GIVEN_LENGTH = 8
const NAMED_LENGTH = 4

/** Those of the server that no memory may hold: its own, and what is kept sealed for all of it now. */
export function* serversSecrets(
  own: readonly KnownSecret[],
  sealFor: (purpose: string) => Pick<Seal, 'open'>,
): Work<KnownSecret[]> {
  return [...own, ...(yield* storedSecrets(sealFor))].filter(({ value }) => value.length >= SECRET_LENGTH)
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
