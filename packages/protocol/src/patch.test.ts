import { expect, test } from 'vitest'
import { patchEnvelopeSchema } from './patch.ts'

const envelope = { session_id: 's', event_seq: 1, sequence: 1, turn_id: 't', loop_id: 'root' }

test.each([
  ['add_content', { type: 'text', text_delta: 'a', block_index: 0, x_new: true }],
  ['add_content', { type: 'hologram', content: { depth: 3 } }],
  ['set_tool_status', { tool_call_id: 'tc', status: 'pending', pending_question_ref: null }],
  ['set_mood', { mood: 'sunny' }],
])('a patch %s %j reads and keeps what it has', (patch_type, data) => {
  expect(patchEnvelopeSchema.parse({ ...envelope, patch_type, data })).toEqual({ ...envelope, patch_type, data })
})

test.each([
  ['add_tool_call', { id: 'tc' }],
  ['set_status', { status: 'asleep' }],
  ['sync', {}],
])('a patch %s %j does not read: a known type must fit', (patch_type, data) => {
  expect(patchEnvelopeSchema.safeParse({ ...envelope, patch_type, data }).success).toBe(false)
})
