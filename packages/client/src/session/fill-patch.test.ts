import type { PatchEnvelope, TurnProjection } from '@parley/protocol'
import { expect, test } from 'vitest'
import { fillPatch } from './fill-patch.ts'

const block = { type: 'text', content: '法国的首都', tool_call_id: null, tool_name: null, display_name: null } as const
const turn = { turn_id: 'turn_1', blocks: [block], tool_calls: [], patch_sequence: 2 } as unknown as TurnProjection

function increment(more: object = {}): PatchEnvelope {
  const data = { type: 'text', text_delta: '的首都', ...more }
  const where = { session_id: 'sess_1', event_seq: 1, sequence: 2, turn_id: 'turn_1', loop_id: 'root' }
  return { ...where, patch_type: 'add_content', data }
}

test('[W14.4] a text increment gets the block’s full content and the whole turn', () => {
  const patch = increment()
  fillPatch(patch, turn)
  expect(patch.data).toEqual({ type: 'text', text_delta: '的首都', content: '法国的首都', turn })
})

test('[W14.4] what the server sent itself stays as it is', () => {
  const sent = { ...turn, patch_sequence: 7 }
  const patch = increment({ content: 'as sent', turn: sent })
  fillPatch(patch, turn)
  expect(patch.data).toMatchObject({ content: 'as sent', turn: { patch_sequence: 7 } })
})

test('[W14.4] an application that writes into data.turn does not change ours', () => {
  const patch = increment()
  fillPatch(patch, turn)
  patch.data.turn!.blocks.push(block)
  patch.data.turn!.blocks.at(0)!.content = 'mine'
  expect(turn.blocks).toEqual([block])
  expect(patch.data.turn!.blocks).toHaveLength(2) // and it is still its own copy
})
