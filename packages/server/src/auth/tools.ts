import { createHash } from 'node:crypto'
import type { Scope, UserRole } from '@parley/protocol/rest'

/** What signing in needs of the world. `now` is milliseconds since 1970. */
export type AuthTools = { now: () => number; randomBytes: (size: number) => Buffer }

/**
 * How a caller proved who they are: by an API key, a login that a browser keeps as a cookie, a visitor's token, or a token
 * of the product's own sign-in, which has no row and so brings along what it stands on.
 */
export type Credential = {
  id: string
  /** How long it was good for when it was shown; absent for those that only end when somebody ends them. */
  lastsMs?: number
} & ({ kind: 'key' | 'login' | 'token' } | { kind: 'jwt'; user_id: string; iat: number; key_id: string })

/** Somebody whose credential is good. */
export type Caller = {
  user_id: string
  /** A visitor is never more than a member. */
  role: UserRole
  credential: Credential
  /** Only of a product's visitor; absent for people of the account itself. */
  visitor?: {
    subject: string
    scopes: readonly Scope[]
    expires_at: number
    /** Of ours; a token of the product's own was made without one. */
    key_id?: string
  }
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

export function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}
