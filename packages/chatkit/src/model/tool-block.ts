import type { BlockType } from './block-type.ts'
import type { ContentBlock } from './content-block.ts'

export type ToolStatus = 'pending' | 'done' | 'error' | 'cancelled' | 'awaiting_answer'

/** One call of a tool. `input` and `output` are JSON values or text, as the platform gave them. */
export type ToolCall = {
  id?: string
  name: string
  /** What people read; falls back to the name. */
  title: string
  icon?: string
  input?: unknown
  output?: unknown
  /** Absent means `done`. */
  status?: ToolStatus
  durationMs?: number
  /** Why it failed; with `error`. */
  error?: string
}

export type ToolBlock = ContentBlock<BlockType.Tool, ToolCall>

/** The model's thinking. Open while it streams and nothing else has come. */
export type ReasoningBlock = ContentBlock<BlockType.Reasoning, { text: string; durationMs?: number }>
