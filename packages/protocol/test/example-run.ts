/** The run of wire-protocol 10.20 as it is journaled (`delta` form), and turns to build others from. For tests. */
import type { SessionEvent } from '../src/events.ts'
import type { TurnProjection } from '../src/turn.ts'

export const userTurn: TurnProjection = {
  id: 'entry_0',
  sequence: 0,
  turn_id: 'turn_0',
  loop_id: 'root',
  kind: 'message',
  role: 'user',
  status: 'completed',
  blocks: [{ type: 'text', content: '列出当前目录下的文件', tool_call_id: null, tool_name: null, display_name: null }],
  tool_calls: [],
  model: null,
  usage: null,
  duration_ms: 0,
  started_at: '2026-01-01T00:00:00Z',
  context_window: 200000,
  memory_refs: null,
  parent_fork_tool_call_id: null,
  failure_reason: null,
  patch_sequence: 0,
  run_id: 'chat_1',
}

/** As its `turn:start` shows it: streaming, empty. */
export const assistantTurn: TurnProjection = {
  ...userTurn,
  id: 'entry_1',
  sequence: 1,
  turn_id: 'turn_1',
  role: 'assistant',
  status: 'streaming',
  blocks: [],
  model: 'claude-sonnet-4-20250514',
  started_at: '2026-01-01T00:00:01Z',
}

const listing = { tool_call_id: 'tc_001', tool_name: 'Bash', display_name: '执行命令' }

/** As its `turn:end` shows it. */
export const endedTurn: TurnProjection = {
  ...assistantTurn,
  status: 'completed',
  blocks: [
    { type: 'text', content: '我来帮你查看...', tool_call_id: null, tool_name: null, display_name: null },
    { type: 'tool_use', content: { command: 'ls -la' }, ...listing },
    { type: 'tool_result', content: 'total 48\n…', ...listing },
  ],
  tool_calls: [
    {
      id: 'tc_001',
      tool_name: 'Bash',
      display_name: '执行命令',
      arguments: '{"command": "ls -la"}',
      status: 'done',
      result: 'total 48\n…',
      duration_ms: 120,
      pending_question_ref: null,
    },
  ],
  usage: { input_tokens: 500, output_tokens: 40 },
  duration_ms: 1900,
  patch_sequence: 3,
}

const envelope = { session_id: 'sess_1', solution_id: null, template_id: null }
const patch = { session_id: 'sess_1', turn_id: 'turn_1', loop_id: 'root' }

export const exampleRun: SessionEvent[] = [
  { name: 'chat:start', payload: { session_id: 'sess_1', run_id: 'chat_1', event_seq: 1 } },
  { name: 'turn:start', payload: { ...envelope, event_seq: 2, ...userTurn } },
  { name: 'turn:end', payload: { ...envelope, event_seq: 3, ...userTurn } },
  { name: 'turn:start', payload: { ...envelope, event_seq: 4, ...assistantTurn } },
  {
    name: 'turn:patch',
    payload: {
      ...patch,
      event_seq: 5,
      sequence: 1,
      patch_type: 'add_content',
      data: { type: 'text', text_delta: '我来帮你查看...', block_index: 0 },
    },
  },
  {
    name: 'turn:patch',
    payload: {
      ...patch,
      event_seq: 6,
      sequence: 2,
      patch_type: 'add_tool_call',
      data: {
        id: 'tc_001',
        tool_name: 'Bash',
        display_name: '执行命令',
        arguments: '{"command": "ls -la"}',
        status: 'pending',
      },
    },
  },
  {
    name: 'turn:patch',
    payload: {
      ...patch,
      event_seq: 7,
      sequence: 3,
      patch_type: 'tool_result',
      data: { tool_call_id: 'tc_001', result: 'total 48\n…', status: 'done', duration_ms: 120 },
    },
  },
  { name: 'turn:end', payload: { ...envelope, event_seq: 8, ...endedTurn } },
  {
    name: 'chat:end',
    payload: {
      session_id: 'sess_1',
      event_seq: 12,
      status: 'completed',
      result: null,
      finish_reason: 'completed',
      run_id: 'chat_1',
      session_status: 'completed',
      pause_tool: null,
      pause_tool_data: null,
      error: null,
      usage: { input_tokens: 1100, output_tokens: 120 },
    },
  },
]
