import type { ContentBlock, Source, ToolCallProjection, TurnProjection } from '@parley/protocol'
import { type Mask, maskValue } from '../secrets/session-masks.ts'
import type { Rewording } from '../words/rewording.ts'

export type Showing = { session_id: string; mask: Mask; rewording: Rewording }

/**
 * [W12.5] A turn as strangers see it: made of what is named here, so that a field that turns get later is not shown because
 * nobody thought of it. Without thinking, memories, summaries made for the model, passages of documents that no answer names,
 * what people think of an answer, and files, which are behind the door.
 */
export function shownTurn(turn: TurnProjection, { session_id, mask, rewording }: Showing): TurnProjection {
  const { id, sequence, turn_id, loop_id, kind, role, status, model, usage, duration_ms, started_at } = turn
  const { parent_fork_tool_call_id, failure_reason, citations, archived, imported } = turn
  const shown: TurnProjection = {
    ...{ id, sequence, turn_id, loop_id, kind, role, status },
    blocks: turn.blocks.filter(isShown).map(blockOf),
    tool_calls: turn.tool_calls.map(callOf),
    ...{ model, usage, duration_ms, started_at },
    context_window: 0,
    memory_refs: null,
    parent_fork_tool_call_id,
    failure_reason,
    patch_sequence: 0,
    run_id: null,
    ...(citations && { citations: citations.map(citationOf) }),
    ...(archived && { archived }),
    ...(imported && { imported }),
  }
  return maskValue(rewording.turn(session_id, shown), mask)
}

function isShown({ type }: ContentBlock): boolean {
  return type !== 'thinking'
}

function blockOf(block: ContentBlock): ContentBlock {
  const { type, content, tool_call_id, tool_name, display_name } = block
  return { type, content, tool_call_id, tool_name, display_name } as ContentBlock
}

function callOf(call: ToolCallProjection): ToolCallProjection {
  const { id, tool_name, display_name, status, result, duration_ms, result_truncated, result_bytes } = call
  return {
    ...{ id, tool_name, display_name, arguments: call.arguments, status, result, duration_ms },
    pending_question_ref: null,
    ...(result_truncated !== undefined && { result_truncated }),
    ...(result_bytes !== undefined && { result_bytes }),
  }
}

/** Which document it was, not what stands in it. */
function citationOf({ ref, title, category, headings, score, confidence }: Source): Source {
  return { ref, document_id: '', title, category, headings, excerpt: '', score, confidence }
}
