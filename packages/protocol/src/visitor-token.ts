/** Tokens for a product's visitors: made by its back end with an API key, held by browsers, for a while. */
import { z } from 'zod'
import { openObject } from './open-schema.ts'

/**
 * What a visitor may do. `chat`: their own sessions, and answering questions. `files`: their workspaces, uploads,
 * attachments. `decide`: consenting to tool calls that ask; without it they wait in the account's inbox.
 */
export const scopeSchema = z.enum(['chat', 'files', 'decide'])
export type Scope = z.infer<typeof scopeSchema>

/** The product's own id of one of its people. Well-formed, so that no two of them become one on their way to the database. */
export const subjectSchema = z
  .string()
  .min(1)
  .max(200)
  .refine((text) => !/\p{Cc}/u.test(text), 'must not contain control characters')
  .refine((text) => text.isWellFormed(), 'must be well-formed Unicode')

/** Body of `POST /api/auth/tokens`. */
export const createTokenSchema = z.strictObject({
  subject: subjectSchema,
  /** Nothing but talking unless somebody asked for more. */
  scopes: z
    .array(scopeSchema)
    .min(1)
    .max(3)
    .default(['chat'])
    .transform((scopes) => [...new Set(scopes)].sort()),
  /** Seconds. */
  expires_in: z.int().min(60).max(86_400).default(3_600),
  /** What people of the account see; a token without one leaves it as it was. */
  display_name: subjectSchema.optional(),
})
export type CreateToken = z.input<typeof createTokenSchema>

const record = {
  id: z.string(),
  subject: z.string(),
  /** Whose sessions they are. */
  user_id: z.string(),
  scopes: z.array(scopeSchema),
  expires_at: z.string(),
}

/** Answer of `POST /api/auth/tokens`: the only time the token is readable. */
export const createdTokenSchema = openObject({ token: z.string(), ...record })
export type CreatedToken = z.infer<typeof createdTokenSchema>

export const visitorTokenSchema = openObject({ ...record, created_at: z.string() })
export type VisitorToken = z.infer<typeof visitorTokenSchema>

/** Query of `DELETE /api/auth/tokens`: without a subject there is nothing to revoke. */
export const revokeTokensQuerySchema = z.strictObject({ subject: subjectSchema })

/** Query of `GET /api/auth/tokens`. */
export const tokenQuerySchema = z.strictObject({
  subject: subjectSchema.optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  offset: z.coerce.number().int().min(0).default(0),
})
export type TokenQuery = z.input<typeof tokenQuerySchema>

export const tokenPageSchema = openObject({ items: z.array(visitorTokenSchema), total: z.int() })
export type TokenPage = z.infer<typeof tokenPageSchema>

/** `auth:renew`, from a socket that has a newer token of the same user. */
export const authRenewSchema = z.strictObject({ token: z.string().min(1).max(8_192) })
export type AuthRenewPayload = z.input<typeof authRenewSchema>

/** `auth:expires`, and the acknowledgement of `auth:renew`: until when a socket's credential is good. Null: until it is revoked. */
export const authExpirySchema = openObject({
  expires_at: z.string().nullable(),
  /** From now; a client's clock need not be right. */
  expires_in_ms: z.int().nullable(),
})
export type AuthExpiry = z.infer<typeof authExpirySchema>
