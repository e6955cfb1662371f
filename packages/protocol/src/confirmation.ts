import { z } from 'zod'
import { columnText, openObject, orNull } from './open-schema.ts'
import { askReasonSchema, fileChangeSchema } from './why-asked.ts'

export const riskSchema = z.enum(['low', 'medium', 'high'])
export type Risk = z.infer<typeof riskSchema>

export const confirmationStatusSchema = z.enum(['pending', 'approved', 'rejected', 'expired', 'withdrawn'])
export type ConfirmationStatus = z.infer<typeof confirmationStatusSchema>

const card = {
  id: z.string(),
  tool_call_id: z.string(),
  tool_name: z.string(),
  /** Parsed, as `parseArguments` gives them. */
  arguments: z.record(z.string(), z.unknown()),
  risk: riskSchema,
  /** What would happen, in words. */
  preview: z.string(),
  /** Identifies the call with exactly these arguments: what is approved is what runs. */
  digest: z.string(),
  expires_at: z.string(),
}

/** What the question shows of a confirmation: `confirmation` in the arguments of its `AskUserQuestion`. */
export const confirmationCardSchema = openObject({
  ...card,
  /** Told to visitors whose consent does not count: the account decides. */
  may_decide: z.literal(false).optional(),
  /** Absent where an older server asked. */
  reason: askReasonSchema.optional(),
  /** Of a call that writes a file, unless it is long: `GET /api/inbox` has all of it. */
  change: fileChangeSchema.optional(),
})
export type ConfirmationCard = z.infer<typeof confirmationCardSchema>

/** A tool call that waits, or waited, for consent. */
export const confirmationSchema = openObject({
  ...card,
  session_id: z.string(),
  /** Whose visitor's session it is; null for one of the account itself. */
  subject: orNull(z.string()),
  turn_id: z.string(),
  loop_id: z.string(),
  status: confirmationStatusSchema,
  created_at: z.string(),
  decided_at: orNull(z.string()),
  decided_by: orNull(z.string()),
  /** What people call the decider; null for visitors, unless it was themselves. */
  decided_by_name: orNull(z.string()),
  /** What the decider said to it. */
  decision_reason: orNull(z.string()),
  /** The arguments that run instead, when the decider changed them. */
  edited_arguments: orNull(z.record(z.string(), z.unknown())),
})
export type Confirmation = z.infer<typeof confirmationSchema>

/** Body of `POST /api/confirmations/{id}`. Ours: a misspelt field is refused, as consent means what it says. */
export const confirmationDecisionSchema = z.strictObject({
  decision: z.enum(['approve', 'reject']),
  edited_arguments: z.record(z.string(), z.unknown()).optional(),
  /** Why. Of a rejection the model is told. */
  reason: columnText.max(2_000).optional(),
})
export type ConfirmationDecision = z.infer<typeof confirmationDecisionSchema>
