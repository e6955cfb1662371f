import type { ContentBlock } from './block.ts'
import type { AddContent, AddToolCall, Patch, SetToolStatus, ToolResult } from './patch.ts'
import type { ToolCallProjection } from './tool-call.ts'
import { parseArguments } from './parse-arguments.ts'
import type { TurnProjection } from './turn.ts'

/**
 * The turn after one patch. Numbers are the caller's business: the patch must be the next one of this turn. Blocks and
 * calls it does not touch stay the same objects; an unknown patch type only moves `patch_sequence`.
 */
export function applyPatch(turn: TurnProjection, patch: Patch & { sequence: number }): TurnProjection {
  return { ...turn, ...changes(turn, patch), patch_sequence: patch.sequence }
}

function changes(turn: TurnProjection, patch: Patch): Partial<TurnProjection> {
  switch (patch.patch_type) {
    case 'add_content':
      return { blocks: withContent(turn.blocks, patch.data) }
    case 'add_tool_call':
      return addToolCall(turn, patch.data)
    case 'tool_result':
      return settleToolCall(turn, patch.data)
    case 'set_status':
      return { status: patch.data.status }
    case 'set_tool_status':
      return { tool_calls: withToolStatus(turn.tool_calls, patch.data) }
    case 'sync':
      return patch.data.turn
    default:
      patch satisfies never
      return {}
  }
}

function withContent(blocks: ContentBlock[], data: AddContent): ContentBlock[] {
  const index = blockIndex(blocks, data)
  if (data.text_delta == null) return replaced(blocks, index, newBlock(data, data.content))
  const block = blocks[index] ?? newBlock({ type: data.type }, '')
  const content = data.content ?? `${String(block.content)}${data.text_delta}`
  return replaced(blocks, index, { ...block, content } as ContentBlock)
}

/** [WR-2] An increment extends its block, else the last one of its type; anything else is a new block at the end. */
function blockIndex(blocks: ContentBlock[], { block_index, text_delta, type }: AddContent): number {
  // Never beyond the end: a hole in the array would break every renderer.
  if (block_index != null) return Math.min(block_index, blocks.length)
  return text_delta != null && blocks.at(-1)?.type === type ? blocks.length - 1 : blocks.length
}

/** [WR-10] The call, and the block that records where in the answer it stood. */
function addToolCall(turn: TurnProjection, { turn: _snapshot, ...call }: AddToolCall): Partial<TurnProjection> {
  return {
    tool_calls: [...turn.tool_calls, { ...call, result: null, duration_ms: null, pending_question_ref: null }],
    blocks: [
      ...turn.blocks,
      newBlock({ type: 'tool_use', tool_call_id: call.id, ...named(call) }, parseArguments(call.arguments)),
    ],
  }
}

function settleToolCall(turn: TurnProjection, data: ToolResult): Partial<TurnProjection> {
  const { turn: _snapshot, tool_call_id, ...settled } = data
  const call = turn.tool_calls.find(({ id }) => id === tool_call_id)
  const block = newBlock({ type: 'tool_result', tool_call_id, ...named(call) }, data.result)
  return {
    tool_calls: withCall(turn.tool_calls, tool_call_id, { ...settled, pending_question_ref: null }),
    blocks: [...turn.blocks, block],
  }
}

function withToolStatus(calls: ToolCallProjection[], data: SetToolStatus): ToolCallProjection[] {
  const { tool_call_id, status, pending_question_ref } = data
  return withCall(
    calls,
    tool_call_id,
    pending_question_ref === undefined ? { status } : { status, pending_question_ref },
  )
}

function withCall(calls: ToolCallProjection[], id: string, change: Partial<ToolCallProjection>): ToolCallProjection[] {
  const index = calls.findIndex((call) => call.id === id)
  const call = calls[index]
  return call ? replaced(calls, index, { ...call, ...change }) : calls
}

function named(call: AddToolCall | ToolCallProjection | undefined) {
  return { tool_name: call?.tool_name ?? null, display_name: call?.display_name ?? null }
}

/** A block of whatever type the server named; types unknown to us are kept for whoever knows them. */
function newBlock({ type, tool_call_id, tool_name, display_name }: AddContent, content: unknown): ContentBlock {
  return {
    type,
    content: content ?? null,
    tool_call_id: tool_call_id ?? null,
    tool_name: tool_name ?? null,
    display_name: display_name ?? null,
  } as ContentBlock
}

/** A copy with one item set; `index` may be the length. */
function replaced<Item>(items: readonly Item[], index: number, item: Item): Item[] {
  const copy = items.slice()
  copy[index] = item
  return copy
}
