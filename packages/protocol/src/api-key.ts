import { z } from 'zod'
import { columnText, openObject, orNull } from './open-schema.ts'

export const apiKeySchema = openObject({
  id: z.string(),
  name: z.string(),
  /** Prefix, three dots, last four characters. */
  masked: z.string(),
  /** Always null in records; the key itself is shown once, beside the record, by `POST /api/user/api-keys/`. */
  plaintext: orNull(z.string()),
  created_at: z.string(),
  last_used_at: orNull(z.string()),
})
export type ApiKey = z.infer<typeof apiKeySchema>

/** Body of `POST /api/user/api-keys/` and of `PATCH /api/user/api-keys/{key_id}`. */
export const apiKeyNameSchema = z.object({ name: columnText.min(1).max(50) })
export type ApiKeyName = z.infer<typeof apiKeyNameSchema>

/** Answer of `POST /api/user/api-keys/`: the only time the key is readable. */
export const createdApiKeySchema = openObject({ key: apiKeySchema, plaintext: z.string() })
export type CreatedApiKey = z.infer<typeof createdApiKeySchema>
