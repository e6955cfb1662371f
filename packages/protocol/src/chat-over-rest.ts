import { z } from 'zod'
import { modeSchema } from './block.ts'
import { clientMessageIdSchema, runtimeEnvSchema } from './commands.ts'
import { chatEndSchema } from './events.ts'
import { messageContentSchema } from './message.ts'
import { openObject, orNull } from './open-schema.ts'
import { patchModeSchema } from './patch.ts'
import { usageSchema } from './usage.ts'

/** Body of `POST /api/sessions/{session_id}/chat` and its alias `…/headless`. */
export const restChatSchema = z.object({
  message: messageContentSchema,
  output_schema: orNull(z.record(z.string(), z.unknown())),
  model: orNull(z.string()),
  /** null keeps the session's mode. */
  mode: orNull(modeSchema),
  runtime_env: orNull(runtimeEnvSchema),
  timeout_ms: z.int().min(1_000).max(1_800_000).default(300_000),
  client_message_id: orNull(clientMessageIdSchema),
  /** May be false only in the event-stream form. */
  headless: z.boolean().default(true),
})
export type RestChat = z.input<typeof restChatSchema>

/** Query of the event-stream form. */
export const restChatQuerySchema = z.object({ patch_mode: patchModeSchema.optional() })

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
})
export type RestChatResult = z.infer<typeof restChatResultSchema>

/** Query of `GET /api/sessions/{session_id}/messages`; `limit` counts from the end unless `after` is given. */
export const messagesQuerySchema = z.object({
  after: z.coerce.number().int().optional(),
  limit: z.coerce.number().int().min(1).optional(),
})
export type MessagesQuery = z.input<typeof messagesQuerySchema>
