import { z } from 'zod'
import { columnText, openObject, orNull } from './open-schema.ts'
import { turnProjectionSchema } from './turn.ts'

/** Answer of `POST /api/sessions/{session_id}/compact`. */
export const compactedSessionSchema = openObject({ status: z.literal('ok'), compaction: turnProjectionSchema })
export type CompactedSession = z.infer<typeof compactedSessionSchema>

/** Answer of `GET /api/sessions/{session_id}/context-stats`: what the next call of the model would be given, in tokens. */
export const contextStatsSchema = openObject({
  model: z.string(),
  /** 0 if unknown. */
  context_window: z.int(),
  used_tokens: z.int(),
  system_prompt_tokens: z.int(),
  tools_tokens: z.int(),
  messages_tokens: z.int(),
  /** Share of the window; 0 while that is unknown. */
  usage_ratio: z.number(),
  compaction_count: z.int(),
  /** `false`: the provider has counted all of it, or the tokenizer is the model's own. */
  estimated: z.boolean(),
})
export type ContextStats = z.infer<typeof contextStatsSchema>

/** Body of `POST /api/sessions/tokenize/prompt`. */
export const tokenizePromptSchema = z.object({ prompt: z.string(), model: orNull(columnText) })
export type TokenizePrompt = z.input<typeof tokenizePromptSchema>

export const promptTokensSchema = openObject({ model: z.string(), token_count: z.int(), estimated: z.boolean() })
export type PromptTokens = z.infer<typeof promptTokensSchema>

/** Body of `POST /api/sessions/tokenize/messages`; messages in the form of chat completions. */
export const tokenizeMessagesSchema = z.object({
  messages: z.array(z.record(z.string(), z.unknown())).max(10_000),
  model: orNull(columnText),
  /** Whether what opens the answer counts as well. */
  add_generation_prompt: orNull(z.boolean()),
  enable_thinking: orNull(z.boolean()),
  tools: orNull(z.array(z.record(z.string(), z.unknown())).max(1_000)),
})
export type TokenizeMessages = z.input<typeof tokenizeMessagesSchema>

export const messagesTokensSchema = openObject({
  model: z.string(),
  token_count: z.int(),
  per_message: z.array(z.int()),
  tools_tokens: z.int(),
  estimated: z.boolean(),
})
export type MessagesTokens = z.infer<typeof messagesTokensSchema>
