import { afterEach, describe, expect, test, vi } from 'vitest'
import { Rewording } from '../words/rewording.ts'
import type { StoredEvent } from '../store/work.ts'
import { rewordEvent } from './reword-event.ts'

const zh = new Rewording({ language: 'zh', audience: 'account' }, (_id, name) =>
  name === 'Bash' ? { zh: '执行命令', en: 'Run command' } : undefined,
)
const visitor = new Rewording({ language: 'en', audience: 'visitor' }, () => undefined)

const stored = (type: string, data: object | string): StoredEvent => ({
  session_id: 's',
  event_seq: 1,
  at: 1,
  run_id: 'r',
  loop_id: 'root',
  turn_id: 't',
  type,
  data: typeof data === 'string' ? data : JSON.stringify(data),
})

/** Words that look like ours, said by a model. */
const QUOTED =
  '"patch_type":"add_tool_call" "tool_calls":[1] "failure_reason":"llm_error: x" "type":"system_notification"'
const turn = { blocks: [{ type: 'text', content: QUOTED }], tool_calls: [], failure_reason: null }

afterEach(() => vi.restoreAllMocks())

describe('is not even parsed, and stays the same object', () => {
  test.each([
    stored('turn:patch', { patch_type: 'add_content', data: { type: 'text', text_delta: QUOTED, block_index: 0 } }),
    stored('turn:patch', { patch_type: 'add_content', data: { type: 'thinking', text_delta: '…', block_index: 0 } }),
    stored('turn:start', { ...turn, blocks: [] }),
    stored('turn:end', turn),
    stored('chat:start', { run_id: 'r' }),
    stored('chat:end', { status: 'completed', error: null, pause_tool_data: null }),
    stored('session:updated', { status: 'completed' }),
    stored('run:answer', { parts: [] }),
  ])('$type $data', (event) => {
    const parse = vi.spyOn(JSON, 'parse')
    expect(rewordEvent(event, zh)).toBe(event)
    expect(parse).not.toHaveBeenCalled()
  })
})

test('an event is reworded once for each kind of reader, and shared by all of that kind', () => {
  const call = { id: 'c', tool_name: 'Bash', display_name: 'Run command', arguments: '{}', status: 'pending' }
  const event = stored('turn:patch', { patch_type: 'add_tool_call', data: call })
  const words = rewordEvent(event, zh)
  expect(JSON.parse(words.data)).toMatchObject({ data: { ...call, display_name: '执行命令' } })
  expect(rewordEvent(event, zh)).toBe(words)
  expect(rewordEvent(event, visitor).data).toContain('Run command')
})

test.each([
  '{',
  '[]',
  '{}',
  '{"data":7,"patch_type":"add_tool_call"}',
  '{"tool_calls":7}',
  '{"tool_calls":[{}],"blocks":[{}]}',
])('what is not what it claims to be stops nobody: %s', (data) => {
  for (const type of ['turn:patch', 'turn:end', 'chat:end', 'system:error', 'system:notification'])
    for (const rewording of [zh, visitor]) expect(rewordEvent(stored(type, data), rewording).type).toBe(type)
})
