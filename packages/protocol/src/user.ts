/** The people of a server: its owners, and the members whom they invite. A product's visitors are none of them. */
import { z } from 'zod'
import { openObject, orNull } from './open-schema.ts'

/** `owner`: sets the server up, and says who is in. `member`: has what is their own. */
export const userRoleSchema = z.enum(['owner', 'member'])
export type UserRole = z.infer<typeof userRoleSchema>

/** What somebody goes by: a name, or an e-mail address. Small letters, one spelling, so that no two of them look the same. */
export const usernameSchema = z
  .string()
  .transform((text) => text.trim().normalize('NFKC').toLowerCase())
  .pipe(
    z
      .string()
      .min(1)
      .max(200)
      .refine((text) => text.isWellFormed() && !/[\p{C}\s]/u.test(text), 'must have no spaces or control characters')
      .refine((text) => !text.startsWith('user_'), 'must not look like an id'),
  )

const displayName = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .refine((text) => text.isWellFormed() && !/\p{Cc}/u.test(text), 'must not contain control characters')

export const userSchema = openObject({
  id: z.string(),
  username: z.string(),
  display_name: orNull(z.string()),
  role: userRoleSchema,
  /** `invited`: has not come in yet. */
  status: z.enum(['invited', 'active']),
  created_at: z.string(),
  /** When a session of theirs last changed, or a key of theirs was used; null: never. */
  last_active_at: orNull(z.string()),
})
export type User = z.infer<typeof userSchema>

/** Body of `POST /api/users`. */
export const inviteSchema = z.strictObject({
  username: usernameSchema,
  display_name: displayName.optional(),
  role: userRoleSchema.default('member'),
})
export type Invite = z.input<typeof inviteSchema>

/** Answer of `POST /api/users/{id}/links`: the only time the link is readable. */
export const invitationSchema = openObject({ user: userSchema, url: z.string(), expires_at: z.string() })
export type Invitation = z.infer<typeof invitationSchema>

/** Body of `PATCH /api/users/{id}`. */
export const changeUserSchema = z.strictObject({
  role: userRoleSchema.optional(),
  display_name: displayName.nullable().optional(),
})
export type ChangeUser = z.input<typeof changeUserSchema>

/** Query of `GET /api/users`. */
export const userQuerySchema = z.strictObject({
  username: usernameSchema.optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  offset: z.coerce.number().int().min(0).default(0),
})
export type UserQuery = z.input<typeof userQuerySchema>

export const userPageSchema = openObject({ items: z.array(userSchema), total: z.int() })
export type UserPage = z.infer<typeof userPageSchema>
