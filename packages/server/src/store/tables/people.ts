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
}

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
