/** What waits for a person, and what people have decided. */
import { z } from 'zod'
import { confirmationSchema, confirmationStatusSchema } from './confirmation.ts'
import { columnText, openObject, orNull } from './open-schema.ts'
import { questionSchema } from './question.ts'
import { askReasonSchema, fileChangeSchema } from './why-asked.ts'

const ofSession = {
  id: z.string(),
  session_id: z.string(),
  /** Title of the session. */
  intent: z.string(),
  run_id: orNull(z.string()),
  /** The end of what the agent said in the turn before it asked, at most 500 characters. */
  asked_after: z.string(),
  created_at: orNull(z.string()),
}

export const inboxConfirmationSchema = openObject({
  ...confirmationSchema.shape,
  ...ofSession,
  kind: z.literal('confirmation'),
  created_at: z.string(),
  display_name: z.string(),
  /** null for those that were asked by an older server. */
  reason: orNull(askReasonSchema),
  /** Of a call that writes a file. */
  change: orNull(fileChangeSchema),
})
export type InboxConfirmation = z.infer<typeof inboxConfirmationSchema>

/** `id` is the call's: `askuser_answer.tool_call_id`. */
export const inboxQuestionSchema = openObject({
  ...ofSession,
  kind: z.literal('question'),
  turn_id: z.string(),
  loop_id: z.string(),
  questions: z.array(questionSchema),
  source_loop: orNull(openObject({ loop_name: z.string(), description: z.string() })),
})
export type InboxQuestion = z.infer<typeof inboxQuestionSchema>

const toolVersionSchema = openObject({
  digest: z.string(),
  description: z.string(),
  input: z.record(z.string(), z.unknown()),
  hints: z.record(z.string(), z.unknown()).optional(),
})

/** A foreign tool that has changed, and waits for an owner. `id` is its name; it is approved with the digest of `offered`. */
export const inboxToolSchema = openObject({
  kind: z.literal('tool'),
  id: z.string(),
  display_name: z.string(),
  server: z.string(),
  approved: toolVersionSchema,
  offered: toolVersionSchema,
})
export type InboxTool = z.infer<typeof inboxToolSchema>

export const inboxItemSchema = z.discriminatedUnion('kind', [
  inboxConfirmationSchema,
  inboxQuestionSchema,
  inboxToolSchema,
])
export type InboxItem = z.infer<typeof inboxItemSchema>

/** Answer of `GET /api/inbox`. */
export const inboxSchema = openObject({ items: z.array(inboxItemSchema), total: z.int() })
export type Inbox = z.infer<typeof inboxSchema>

/** Query of `GET /api/inbox`; `outcome` and `decided_by` are for what is decided. */
export const inboxQuerySchema = z.strictObject({
  status: z.enum(['pending', 'decided']).default('pending'),
  outcome: confirmationStatusSchema.exclude(['pending']).optional(),
  decided_by: columnText.optional(),
})
export type InboxQuery = z.input<typeof inboxQuerySchema>

/** `account:changed`: some of this user's sessions, or what waits for them, are not what they were. */
export type AccountChanged = {
  /** null: too many to name. */
  sessions: string[] | null
  inbox: boolean
}
