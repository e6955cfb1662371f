import { expect, test } from 'vitest'
import type { ContentBlock } from './block.ts'
import { assistantTurn, endedTurn } from '../test/example-run.ts'
import { turnProjectionSchema } from './turn.ts'
import { textOf, thinkingOf } from './turn-text.ts'

const tool = { tool_call_id: null, tool_name: null, display_name: null }
const blocks: ContentBlock[] = [
  { type: 'thinking', content: 'hm', ...tool },
  { type: 'text', content: 'a', ...tool },
  { type: 'system_notification', content: 'no', ...tool },
  { type: 'thinking', content: '!', ...tool },
  { type: 'text', content: 'b', ...tool },
]

test('the text of a turn is its text blocks in order, the reasoning its thinking blocks, without separators', () => {
  expect(textOf({ blocks })).toBe('ab')
  expect(thinkingOf({ blocks })).toBe('hm!')
})

test('a turn with blocks and fields of a newer server reads, and keeps them', () => {
  const turn = {
    ...endedTurn,
    x_new: 1,
    blocks: [
      { type: 'hologram', content: 5, depth: 3 },
      { ...blocks[1], x: 2 },
    ],
  }
  expect(turnProjectionSchema.parse(turn)).toEqual(turn)
})

test('a block of a known type must fit it', () => {
  const turn = { ...assistantTurn, blocks: [{ type: 'text', content: { not: 'text' } }] }
  expect(turnProjectionSchema.safeParse(turn).success).toBe(false)
})

test('the specification’s example of a turn reads, absent extensions filled in', () => {
  const seed = {
    id: 'entry_xxx',
    sequence: 0,
    turn_id: 'turn_xxx',
    loop_id: 'root',
    kind: 'message',
    role: 'assistant',
    status: 'completed',
    blocks: [],
    tool_calls: [],
    model: 'claude-sonnet-4-20250514',
    usage: { input_tokens: 500, output_tokens: 200 },
    duration_ms: 3500,
    started_at: '2026-01-01T00:00:00Z',
    context_window: 200000,
    memory_refs: null,
    parent_fork_tool_call_id: null,
  }
  expect(turnProjectionSchema.parse(seed)).toEqual({ ...seed, failure_reason: null, patch_sequence: 0, run_id: null })
})
