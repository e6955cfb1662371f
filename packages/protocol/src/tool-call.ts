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

/** The arguments object a model wrote; `{ _raw }` holds the text when it is not a JSON object. */
export function parseArguments(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {
    // Not JSON: handed on as it is, so that the reader still sees what the model wrote.
  }
  return { _raw: text }
}

/** Tools that clients treat differently from all others. */
export type SpecialTool = 'AskUserQuestion' | 'Agent'

/** Matches the bare name and the name after a provider prefix: `Agent`, `fork:Agent`. */
export function isSpecialTool(tool_name: string, special: SpecialTool): boolean {
  return tool_name === special || tool_name.endsWith(`:${special}`)
}
