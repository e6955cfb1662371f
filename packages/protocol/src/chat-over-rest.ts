import { z } from 'zod'
import { modeSchema } from './block.ts'
import { clientMessageIdSchema, planDecisionSchema, replayDecisionSchema, whatIfSchema } from './commands.ts'
import { environmentSchema } from './environment.ts'
import { chatEndSchema } from './events.ts'
import { messageContentSchema } from './message.ts'
import { openObject, orNull } from './open-schema.ts'
import { patchModeSchema } from './patch.ts'
import { askUserAnswerSchema } from './question.ts'
import { usageSchema } from './usage.ts'

/** Body of `POST /api/sessions/{session_id}/chat` and its alias `…/headless`. */
export const restChatSchema = z.object({
  /** With an answer it is only shown, and may be left out. */
  message: messageContentSchema.optional(),
  /** Answers a question that waits; the run that asked goes on, as headless as it was. */
  askuser_answer: orNull(askUserAnswerSchema),
  output_schema: orNull(z.record(z.string(), z.unknown())),
  model: orNull(z.string()),
  /** null keeps the session's mode. */
  mode: orNull(modeSchema),
  plan_decision: planDecisionSchema,
  runtime_env: orNull(environmentSchema),
  timeout_ms: z.int().min(1_000).max(1_800_000).default(300_000),
  client_message_id: orNull(clientMessageIdSchema),
  whatif: orNull(whatIfSchema),
  replay_decision: orNull(replayDecisionSchema),
  /** May be false only in the event-stream form. */
  headless: z.boolean().default(true),
  /** Nothing is looked up in the knowledge for this message. */
  skip_knowledge: z.boolean().default(false),
})
export type RestChat = z.input<typeof restChatSchema>

/** Query of the event-stream form, which is ours. */
export const restChatQuerySchema = z.strictObject({ patch_mode: patchModeSchema.optional() })

/** A request that answers what a run waits for, ready to be sent; `to` says what it would mean. */
export const restRequestSchema = openObject({
  to: z.enum(['answer', 'approve', 'reject', 'edit']),
  method: z.literal('POST'),
  path: z.string(),
  body: z.record(z.string(), z.unknown()),
})
export type RestRequest = z.infer<typeof restRequestSchema>

/** What `chat:end` of the event-stream form, and an answer that was asked again, say beyond the run's end. */
const waiting = {
  session_status: chatEndSchema.shape.session_status,
  pause_tool_data: chatEndSchema.shape.pause_tool_data.optional(),
  answer_with: z.array(restRequestSchema).optional(),
}

/** Answer when the run completed. */
export const restChatResultSchema = openObject({
  session_id: z.string(),
  status: z.literal('completed'),
  result: chatEndSchema.shape.result,
  finish_reason: chatEndSchema.shape.finish_reason,
  run_id: z.string(),
  usage: orNull(usageSchema),
  duration_ms: z.int(),
  cut: chatEndSchema.shape.cut,
  ...waiting,
})
export type RestChatResult = z.infer<typeof restChatResultSchema>

/** Query of `GET /api/sessions/{session_id}/messages`; `limit` counts from the end unless `after` is given. */
export const messagesQuerySchema = z.object({
  before: z.coerce.number().int().optional(),
  after: z.coerce.number().int().optional(),
  limit: z.coerce.number().int().min(1).optional(),
  /** `all`: turns of the other branches as well, marked as deprecated. */
  branches: z.enum(['active', 'all']).default('active'),
})
export type MessagesQuery = z.input<typeof messagesQuerySchema>
