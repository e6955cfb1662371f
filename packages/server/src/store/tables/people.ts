import type { Generated } from 'kysely'
import type { Flag } from './flag.ts'

export type MetaTable = { key: string; value: string }

export type UsersTable = {
  id: string
  username: string
  display_name: string | null
  avatar_url: string | null
  is_owner: Flag
  created_at: string
  /** Of a visitor: the account they visit, and the product's own id of them. */
  account_id: string | null
  external_id: string | null
  /** When all that their product had signed for them was revoked; milliseconds. */
  revoked_before: number | null
  /** Of a member: the owner who invited them. */
  invited_by: string | null
  /** When they first came in. */
  joined_at: string | null
  /** They may not come in again, and their name is free. */
  removed_at: string | null
  /** By whom and as whom they sign in elsewhere (OpenID Connect: `iss` and `sub`). */
  issuer: string | null
  issuer_subject: string | null
}

/** Variables for the tools of everything that a user does, sealed. */
export type EnvBucketsTable = { user_id: string; bucket: string; sealed: string }

/** What their buckets held before, for masks. `size` is that of `sealed`. */
export type PastBucketsTable = { id: Generated<number>; user_id: string; at: number; sealed: string; size: number }

/** What a user's programs want to find again. */
export type PreferencesTable = { user_id: string; key: string; value: string }

/** How far a user has seen a session; only ever moves on. */
export type SeenMarksTable = { user_id: string; session_id: string; event_seq: number }

/** What somebody's program keeps with a session, as JSON. */
export type SessionExtrasTable = { session_id: string; extra: string; created_at: string; updated_at: string }

export type ApiKeysTable = {
  id: string
  user_id: string
  name: string
  /** SHA-256 of the key, hex. The key itself is shown once and never stored. */
  hash: string
  masked: string
  created_at: string
  last_used_at: string | null
  revoked_at: string | null
}

/** One row per live token; a revoked one is gone. */
export type VisitorTokensTable = {
  id: string
  /** SHA-256 of the token, hex. */
  hash: string
  account_id: string
  /** The visitor. */
  user_id: string
  /** The API key it was made with, and ends with. */
  key_id: string
  /** Names, with spaces between them. */
  scopes: string
  created_at: number
  expires_at: number
}

/** Append-only: the database itself refuses to change or delete a row. */
export type AuditTable = {
  id: Generated<number>
  at: number
  actor: string
  action: string
  subject: string
  detail: string | null
}
