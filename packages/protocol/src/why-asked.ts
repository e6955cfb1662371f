/** What people are told before they agree to a call, beside the call itself. */
import { z } from 'zod'
import { openObject, orNull } from './open-schema.ts'
import { policyRuleSchema } from './policy.ts'

/**
 * Why a call asks: a rule of the server (`rule`) or of the agent (`agent_rule`), its risk, the tool itself, which always
 * wants to be confirmed, or a host that nobody has named.
 */
export const askReasonSchema = openObject({
  by: z.enum(['rule', 'agent_rule', 'risk', 'tool', 'host']),
  /** Of a rule: its place, from 1, among the server's (`GET /api/policy`) or the agent's own. */
  number: orNull(z.int()),
  rule: orNull(openObject(policyRuleSchema.shape)),
  host: orNull(z.string()),
})
export type AskReason = z.infer<typeof askReasonSchema>

/**
 * What a call would make of a file, against the file as it was when somebody was asked: both texts from the same line on,
 * without what stays the same at either end, but for a few lines.
 */
export const fileChangeSchema = openObject({
  /** Relative to the workspace. */
  path: z.string(),
  /** Number of the first line of both texts, from 1. */
  line: z.int(),
  /** null: there was no such file. */
  before: orNull(z.string()),
  after: orNull(z.string()),
  /** Why it cannot be shown; both texts are null then. `not_applicable`: the file has no such text to change. */
  problem: orNull(z.enum(['binary', 'too_large', 'not_applicable'])),
})
export type FileChange = z.infer<typeof fileChangeSchema>
