import { z } from 'zod'
import { openObject, orNull } from './open-schema.ts'

/** One message as the model gets it, in the form of chat completions; `id` is stable. */
export const historyNodeSchema = openObject({
  id: z.string(),
  /** The message before it in its loop; of a sub-agent's first one, the answer that called it. */
  parent_id: orNull(z.string()),
  turn_id: z.string(),
  loop_id: z.string(),
  role: z.enum(['user', 'assistant', 'tool']),
  message: z.record(z.string(), z.unknown()),
  created_at: orNull(z.string()),
  deprecated: z.boolean(),
})
export type HistoryNode = z.infer<typeof historyNodeSchema>

/** Answer of `GET /api/sessions/{session_id}/history`. */
export const sessionHistorySchema = openObject({
  nodes: z.array(historyNodeSchema),
  system_prompt_tokens: z.int(),
  tools_tokens: z.int(),
  /** Whose tokens they are; null: nobody's, they are estimated. */
  tokenizer_model: orNull(z.string()),
  estimated: z.boolean().default(true),
})
export type SessionHistory = z.infer<typeof sessionHistorySchema>
