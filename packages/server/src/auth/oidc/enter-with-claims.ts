import { usernameSchema } from '@parley/protocol/schemas'
import { recordAudit } from '../../store/audit.ts'
import { runSql, type Work } from '../../store/work.ts'
import type { Claims } from './id-token.ts'
import type { OidcOptions } from './oidc-options.ts'

export type Entering = {
  options: Pick<OidcOptions, 'issuer' | 'allow'>
  claims: Claims
  /** For somebody who was never here. */
  newcomer: { id: string; created_at: string }
}

type Known = { id: string; invited_by: string | null }

const NAME_SHOWN = 200

/**
 * Whose sign-in this is. Known by issuer and subject; else the one who was invited by this e-mail address and has not come in
 * yet; else a new member, if the configuration lets them in. `undefined`: nobody who may come in.
 */
export function* enterWithClaims({ options, claims, newcomer }: Entering): Work<string | undefined> {
  const { issuer } = options
  const [known] = yield* runSql<Known>(
    'SELECT id, invited_by FROM users WHERE issuer = ? AND issuer_subject = ? AND removed_at IS NULL',
    [issuer, claims.sub],
  )
  if (known) return known.invited_by !== null || isAllowed(claims, options.allow) ? known.id : undefined
  const email = verifiedEmail(claims)
  const [invited] = yield* runSql<{ id: string }>(
    `UPDATE users SET issuer = ?, issuer_subject = ? WHERE username = ? AND invited_by IS NOT NULL AND joined_at IS NULL
      AND issuer IS NULL AND account_id IS NULL AND removed_at IS NULL RETURNING id`,
    [issuer, claims.sub, email ?? ''],
  )
  if (invited) return invited.id
  if (!isAllowed(claims, options.allow)) return undefined
  return yield* addMember({ options, claims, newcomer })
}

/** Whether somebody may come in who was not invited. */
export function isAllowed(claims: Claims, allow: OidcOptions['allow']): boolean {
  const { emailDomains = [], claims: wanted } = allow ?? {}
  const email = verifiedEmail(claims)
  if (email !== undefined && emailDomains.includes(email.slice(email.lastIndexOf('@') + 1))) return true
  return wanted !== undefined && Object.entries(wanted).every(([name, values]) => hasOne(claims, name, values))
}

function hasOne(claims: Claims, name: string, values: readonly string[]): boolean {
  const said = Object.hasOwn(claims, name) ? [claims[name]].flat() : []
  return said.some((value) => typeof value === 'string' && values.includes(value))
}

/** An address that the provider vouches for; what somebody only says about themselves opens nothing. */
function verifiedEmail({ email, email_verified }: Claims): string | undefined {
  const read = usernameSchema.safeParse(email)
  return email_verified === true && read.success && /^[^@]+@[^@]+$/.test(read.data) ? read.data : undefined
}

/** Under their address, or what they are called there; with a part of their id behind it where somebody has that name. */
function* addMember({ options, claims, newcomer: { id, created_at } }: Entering): Work<string> {
  const called = usernameSchema.safeParse(claims['preferred_username'])
  const name = verifiedEmail(claims) ?? (called.success ? called.data : id.slice(-12))
  const shown = typeof claims['name'] === 'string' ? claims['name'].replaceAll(/\p{C}/gu, '').slice(0, NAME_SHOWN) : ''
  for (const username of [name, `${name}#${id.slice(-8)}`]) {
    const [added] = yield* runSql<{ id: string }>(
      `INSERT INTO users (id, username, display_name, is_owner, created_at, issuer, issuer_subject)
        VALUES (?, ?, ?, 0, ?, ?, ?) ON CONFLICT (username) DO NOTHING RETURNING id`,
      [id, username, shown || null, created_at, options.issuer, claims.sub],
    )
    if (!added) continue
    yield* recordAudit({ actor: id, action: 'user.join', subject: id, detail: username })
    return id
  }
  throw new Error(`No name is free for ${id}.`)
}
