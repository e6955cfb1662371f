import { z } from 'zod'
import { contentBlockSchema } from './block.ts'
import { turnFeedbackSchema } from './feedback.ts'
import { memoryRefSchema } from './memory.ts'
import { openObject, orNull } from './open-schema.ts'
import { sourceSchema } from './source.ts'
import { toolCallProjectionSchema } from './tool-call.ts'
import { usageSchema } from './usage.ts'

/** Words of an earlier turn, cited with a message. */
const quoteSchema = openObject({ entry_id: z.string(), text: z.string() })

export const turnStatusSchema = z.enum(['streaming', 'completed', 'paused', 'failed', 'interrupted'])
export type TurnStatus = z.infer<typeof turnStatusSchema>

export const compactionTriggerSchema = z.enum(['auto', 'manual', 'forced_retry'])
export type CompactionTrigger = z.infer<typeof compactionTriggerSchema>

/**
 * What a completed compaction put into the archive: turns of its loop from one `sequence` to another, but for those it
 * kept, and the compaction before it. `to` is below `from` when there was nothing new.
 */
export const archivedRangeSchema = openObject({ from: z.int(), to: z.int(), kept: z.array(z.int()) })
export type ArchivedRange = z.infer<typeof archivedRangeSchema>

/** In turns up to this `sequence`, the model gets results of at most so many characters. */
export const trimmedResultsSchema = openObject({ to: z.int(), characters: z.int() })
export type TrimmedResults = z.infer<typeof trimmedResultsSchema>

/** The complete picture of one turn, the unit of history. */
export const turnProjectionSchema = openObject({
  id: z.string(),
  /** Ordinal in the session, from 0. */
  sequence: z.int(),
  turn_id: z.string(),
  loop_id: z.string(),
  kind: z.enum(['message', 'compaction']),
  role: z.enum(['user', 'assistant', 'system']),
  status: turnStatusSchema,
  blocks: z.array(contentBlockSchema),
  tool_calls: z.array(toolCallProjectionSchema),
  model: orNull(z.string()),
  usage: orNull(usageSchema),
  duration_ms: z.int(),
  started_at: orNull(z.string()),
  /** 0 if unknown. */
  context_window: z.int(),
  memory_refs: orNull(z.array(memoryRefSchema)),
  /** The `Agent` call whose sub-agent this turn belongs to; null for the main agent. */
  parent_fork_tool_call_id: orNull(z.string()),
  failure_reason: orNull(z.string()),
  /** Number of the last patch contained in this picture; 0 if none. */
  patch_sequence: z.int().default(0),
  run_id: orNull(z.string()),
  /** User turns with attachments: the original parts, inline data replaced by URLs. */
  content_parts: z.array(z.record(z.string(), z.unknown())).nullish(),
  /** User turns: the id their sender gave the message, so that it is known again, whatever it says. */
  client_message_id: z.string().nullish(),
  /** What is thought of an answer: on turns read over REST, and told by `feedback:given`. Never stored with the turn. */
  feedback: turnFeedbackSchema.nullish(),
  /** User turns: passages of documents that were found for the message, and that the model was given with it. */
  sources: z.array(sourceSchema).nullish(),
  /** Answers: those of the session's sources that the text names. */
  citations: z.array(sourceSchema).nullish(),
  /** Brought along by a client as the beginning of a conversation: nobody here has seen it happen. */
  imported: z.boolean().nullish(),
  archived: z.boolean().nullish(),
  /** On a branch that is not being talked on. */
  deprecated: z.boolean().nullish(),
  /** Among turns of all branches: the one it was written on. */
  branch_id: z.string().nullish(),
  /** User turns of a what-if: what was cited from earlier turns. */
  quotes: z.array(quoteSchema).nullish(),
  // The rest stands on turns of kind `compaction`.
  compaction_id: z.string().nullish(),
  summary_preview: z.string().nullish(),
  summary_full: z.string().nullish(),
  archived_count: z.int().nullish(),
  tokens_before: z.int().nullish(),
  tokens_after: z.int().nullish(),
  saved_ratio: z.number().nullish(),
  trigger: compactionTriggerSchema.nullish(),
  archived_range: archivedRangeSchema.nullish(),
  trimmed: trimmedResultsSchema.nullish(),
})
export type TurnProjection = z.infer<typeof turnProjectionSchema>
