import { z } from 'zod'
import { columnText, openObject, orNull } from './open-schema.ts'

const name = columnText.min(1).max(300)

/** Query of `GET /api/audit`. */
export const auditQuerySchema = z.strictObject({
  /** A user's id, or `system`. */
  actor: name.optional(),
  /** One action, or with a dot at its end all of a kind: `api_key.create`, `api_key.` */
  action: name.optional(),
  /** The id of what something was done to. */
  subject: name.optional(),
  from: z.iso.datetime({ offset: true }).optional(),
  to: z.iso.datetime({ offset: true }).optional(),
  /** `next_before` of the page before. */
  before: z.string().min(1).max(100).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
})
export type AuditQuery = z.input<typeof auditQuerySchema>

export const auditRecordSchema = openObject({
  id: z.int(),
  at: z.string(),
  actor: z.string(),
  /** What people call them; null: nobody did it, or they are gone. */
  actor_name: orNull(z.string()),
  action: z.string(),
  subject: z.string(),
  detail: orNull(z.string()),
  /** Where it happened, if that was in a session of the reader's own which is still there; of a decision also the run. */
  session_id: orNull(z.string()),
  run_id: orNull(z.string()),
})
export type AuditRecord = z.infer<typeof auditRecordSchema>

/** Answer of `GET /api/audit`, the newest first; `next_before` is null on the last page. */
export const auditPageSchema = openObject({ items: z.array(auditRecordSchema), next_before: orNull(z.string()) })
export type AuditPage = z.infer<typeof auditPageSchema>
