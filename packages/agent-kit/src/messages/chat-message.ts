import type { ContentBlock, MessageContentPart, ToolCallProjection, TurnProjection } from '@parley/client'

/** What the list of `useChat` holds. */
export type ChatMessage = {
  role: 'user' | 'assistant' | 'tool' | 'error'
  content: string | MessageContentPart[]
  reasoning?: string
  tool_calls?: ToolCallInfo[]
  /** Of the turn. */
  status?: TurnProjection['status']
  duration_ms?: number
  /** `id` of the turn; of an error beside an answer of its turn, `<id>:error`. */
  entry_id?: string
  /** Set for what is not somebody's message. */
  kind?: 'compaction' | 'mode_change' | 'plan_status' | 'planning_enter' | 'planning_exit'
  /** ISO 8601. */
  timestamp?: string
  /** `loop_id` of the turn: `root`, or a sub-agent's. */
  loop_name?: string
  memory_refs?: MemoryRefInfo[]
  /** A user's message: what was found for it in the documents. */
  sources?: SourceInfo[]
  /** An answer: those sources that it names, as `[ref]`. */
  citations?: SourceInfo[]
  blocks?: ContentBlock[]
  compaction?: CompactionInfo
}

/** A tool call whose tool is in `name`. */
export type ToolCallInfo = Omit<ToolCallProjection, 'tool_name'> & { name: string }

export type MemoryRefInfo = NonNullable<TurnProjection['memory_refs']>[number]

type SourceInfo = NonNullable<TurnProjection['citations']>[number]

export type CompactionInfo = Pick<
  TurnProjection,
  | 'compaction_id'
  | 'summary_preview'
  | 'summary_full'
  | 'archived_count'
  | 'tokens_before'
  | 'tokens_after'
  | 'saved_ratio'
  | 'trigger'
>
