import { z } from 'zod'
import { openObject, orNull } from './open-schema.ts'

export const toolCallStatusSchema = z.enum(['pending', 'done', 'error', 'cancelled', 'awaiting_answer'])
export type ToolCallStatus = z.infer<typeof toolCallStatusSchema>

/** Stands on an `Agent` call whose sub-agent waits for an answer. */
export const pendingQuestionRefSchema = openObject({
  /** `loop_id` of the sub-agent that asked. */
  child_loop_name: z.string(),
  /** Its `AskUserQuestion` call: this id goes into `askuser_answer.tool_call_id`. */
  child_tool_call_id: z.string(),
  description: orNull(z.string()),
})
export type PendingQuestionRef = z.infer<typeof pendingQuestionRefSchema>

export const toolCallProjectionSchema = openObject({
  id: z.string(),
  tool_name: z.string(),
  /** Never empty: falls back to `tool_name`. */
  display_name: z.string(),
  /** A JSON string; read it with `parseArguments`. */
  arguments: z.string(),
  status: toolCallStatusSchema,
  result: z.unknown(),
  duration_ms: orNull(z.int()),
  pending_question_ref: orNull(pendingQuestionRefSchema),
  /** Present when `result` was cut to its first 64 KiB. */
  result_truncated: z.boolean().optional(),
  result_bytes: z.int().optional(),
})
export type ToolCallProjection = z.infer<typeof toolCallProjectionSchema>
