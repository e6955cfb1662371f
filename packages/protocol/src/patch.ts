import { z } from 'zod'
import { openObject, openUnion, orNull } from './open-schema.ts'
import { pendingQuestionRefSchema, toolCallStatusSchema } from './tool-call.ts'
import { turnProjectionSchema, turnStatusSchema } from './turn.ts'

/** How a subscription gets its patches: with full values, increments only, or snapshots only. */
export const patchModeSchema = z.enum(['compat', 'delta', 'sync'])
export type PatchMode = z.infer<typeof patchModeSchema>

/** The turn after the patch; attached for clients that replace instead of fold. */
const snapshot = { turn: turnProjectionSchema.optional() }

/** Adds a block, or extends one: with `text_delta` it extends, without it `content` is a whole new block. */
export const addContentSchema = openObject({
  type: z.string(),
  /** Never `""`. */
  text_delta: z.string().nullish(),
  content: z.unknown().optional(),
  block_index: z.int().nullish(),
  tool_call_id: z.string().nullish(),
  tool_name: z.string().nullish(),
  display_name: z.string().nullish(),
  ...snapshot,
})
export type AddContent = z.infer<typeof addContentSchema>

/** A new tool call, sent once, when its arguments are complete. Implies a `tool_use` block. */
export const addToolCallSchema = openObject({
  id: z.string(),
  tool_name: z.string(),
  display_name: z.string(),
  arguments: z.string(),
  status: toolCallStatusSchema,
  ...snapshot,
})
export type AddToolCall = z.infer<typeof addToolCallSchema>

/** A tool call settled. Implies a `tool_result` block. */
export const toolResultSchema = openObject({
  tool_call_id: z.string(),
  result: z.unknown(),
  status: z.enum(['done', 'error', 'cancelled']),
  duration_ms: orNull(z.int()),
  result_truncated: z.boolean().optional(),
  result_bytes: z.int().optional(),
  ...snapshot,
})
export type ToolResult = z.infer<typeof toolResultSchema>

/** The status of a turn that has already ended changed. */
export const setStatusSchema = openObject({ status: turnStatusSchema, ...snapshot })

/** The status of a call changed; `pending_question_ref` only when it changes too. */
export const setToolStatusSchema = openObject({
  tool_call_id: z.string(),
  status: toolCallStatusSchema,
  pending_question_ref: pendingQuestionRefSchema.nullable().optional(),
  ...snapshot,
})
export type SetToolStatus = z.infer<typeof setToolStatusSchema>

/** A full snapshot, for subscriptions in `sync` mode; gaps in `sequence` are normal there. */
export const syncSchema = openObject({ turn: turnProjectionSchema })

/** Payload of `turn:patch`. A `patch_type` not listed here is let through when read, and ignored by `reduce`. */
export const patchEnvelopeSchema = openUnion(
  z.discriminatedUnion('patch_type', [
    envelope('add_content', addContentSchema),
    envelope('add_tool_call', addToolCallSchema),
    envelope('tool_result', toolResultSchema),
    envelope('set_status', setStatusSchema),
    envelope('set_tool_status', setToolStatusSchema),
    envelope('sync', syncSchema),
  ]),
)
export type PatchEnvelope = z.infer<typeof patchEnvelopeSchema>

/** What a patch does, without where it goes. */
export type Patch = PatchEnvelope extends infer Envelope
  ? Envelope extends PatchEnvelope
    ? Pick<Envelope, 'patch_type' | 'data'>
    : never
  : never

function envelope<Type extends string, Data extends z.ZodType>(patch_type: Type, data: Data) {
  return openObject({
    session_id: z.string(),
    event_seq: z.int().default(0),
    /** Number within the turn: 1, 2, 3 … without gaps. */
    sequence: z.int(),
    turn_id: z.string(),
    loop_id: z.string(),
    patch_type: z.literal(patch_type),
    data,
  })
}
