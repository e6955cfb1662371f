import { z } from 'zod'
import { openObject, orNull } from './open-schema.ts'

const TEN_YEARS = 10 * 366 * 24 * 60 * 60

/** Body of `POST …/share`; null: the link works until somebody ends it. */
export const shareSessionSchema = z.object({ ttl_seconds: orNull(z.int().min(1).max(TEN_YEARS)) })
export type ShareSession = z.input<typeof shareSessionSchema>

/** A link that shows a session to whoever has it. */
export const shareSchema = openObject({
  /** The part of its token that is no secret: `DELETE …/share/{token}` takes it, too. */
  id: z.string(),
  created_at: z.string(),
  expires_at: orNull(z.string()),
})
export type Share = z.infer<typeof shareSchema>

/** Answer of `POST …/share`, and the only time that the token is told. */
export const createdShareSchema = openObject({ ...shareSchema.shape, token: z.string(), url: z.string() })
export type CreatedShare = z.infer<typeof createdShareSchema>
