import { createHash } from 'node:crypto'

/** What signing in needs of the world. `now` is milliseconds since 1970. */
export type AuthTools = { now: () => number; randomBytes: (size: number) => Buffer }

/** How a caller proved who they are: by an API key, or by a login that a browser keeps as a cookie. */
export type Credential = { kind: 'key' | 'login'; id: string }

/** Somebody whose credential is good. */
export type Caller = { user_id: string; credential: Credential }

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

export function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}
