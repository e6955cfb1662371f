import { expect, test } from 'vitest'
import { endedTurn, exampleRun } from '../test/example-run.ts'
import type { SessionEvent } from './events.ts'
import { type EventName, isEventName } from './event-names.ts'
import { eventSchemas } from './events.ts'
import { numberEvent } from './number-event.ts'
import { turnOf } from './turn-of.ts'
import { emptyPatchModeState, encodePatch } from './patch-mode.ts'
import type { Projection } from './reduce.ts'
import { emptyProjection, findTurn, reduce } from './reduce.ts'

/** Lines of wire-protocol 10.20 in the default mode, verbatim; `⟨T1⟩` and lines the document abridges are left out. */
const FIXTURE = String.raw`
chat:start  {"session_id":"sess_1","run_id":"chat_1","event_seq":1}
turn:start  {"session_id":"sess_1","event_seq":2,"id":"entry_0","sequence":0,"turn_id":"turn_0","loop_id":"root","kind":"message","role":"user","status":"completed","blocks":[{"type":"text","content":"列出当前目录下的文件","tool_call_id":null,"tool_name":null,"display_name":null}],"tool_calls":[],"model":null,"usage":null,"duration_ms":0,"started_at":"2026-01-01T00:00:00Z","context_window":200000,"memory_refs":null,"parent_fork_tool_call_id":null,"failure_reason":null,"patch_sequence":0,"run_id":"chat_1","solution_id":null,"template_id":null}
turn:start  {"session_id":"sess_1","event_seq":4,"id":"entry_1","sequence":1,"turn_id":"turn_1","loop_id":"root","kind":"message","role":"assistant","status":"streaming","blocks":[],"tool_calls":[],"model":"claude-sonnet-4-20250514","usage":null,"duration_ms":0,"started_at":"2026-01-01T00:00:01Z","context_window":200000,"memory_refs":null,"parent_fork_tool_call_id":null,"failure_reason":null,"patch_sequence":0,"run_id":"chat_1","solution_id":null,"template_id":null}
turn:patch  {"session_id":"sess_1","event_seq":5,"sequence":1,"turn_id":"turn_1","loop_id":"root","patch_type":"add_content","data":{"type":"text","text_delta":"我来帮你查看...","content":"我来帮你查看...","block_index":0}}
turn:patch  {"session_id":"sess_1","event_seq":6,"sequence":2,"turn_id":"turn_1","loop_id":"root","patch_type":"add_tool_call","data":{"id":"tc_001","tool_name":"Bash","display_name":"执行命令","arguments":"{\"command\": \"ls -la\"}","status":"pending"}}
turn:patch  {"session_id":"sess_1","event_seq":7,"sequence":3,"turn_id":"turn_1","loop_id":"root","patch_type":"tool_result","data":{"tool_call_id":"tc_001","result":"total 48\n…","status":"done","duration_ms":120}}
turn:end    {"session_id":"sess_1","event_seq":8,"id":"entry_1","sequence":1,"turn_id":"turn_1","loop_id":"root","kind":"message","role":"assistant","status":"completed","blocks":[{"type":"text","content":"我来帮你查看...","tool_call_id":null,"tool_name":null,"display_name":null},{"type":"tool_use","content":{"command":"ls -la"},"tool_call_id":"tc_001","tool_name":"Bash","display_name":"执行命令"},{"type":"tool_result","content":"total 48\n…","tool_call_id":"tc_001","tool_name":"Bash","display_name":"执行命令"}],"tool_calls":[{"id":"tc_001","tool_name":"Bash","display_name":"执行命令","arguments":"{\"command\": \"ls -la\"}","status":"done","result":"total 48\n…","duration_ms":120,"pending_question_ref":null}],"model":"claude-sonnet-4-20250514","usage":{"input_tokens":500,"output_tokens":40},"duration_ms":1900,"started_at":"2026-01-01T00:00:01Z","context_window":200000,"memory_refs":null,"parent_fork_tool_call_id":null,"failure_reason":null,"patch_sequence":3,"run_id":"chat_1","solution_id":null,"template_id":null}
chat:end    {"session_id":"sess_1","event_seq":12,"status":"completed","result":null,"finish_reason":"completed","run_id":"chat_1","session_status":"completed","pause_tool":null,"pause_tool_data":null,"error":null,"usage":{"input_tokens":1100,"output_tokens":120}}`

const fixture = FIXTURE.trim()
  .split('\n')
  .map((line) => ({ name: line.slice(0, 12).trim() as EventName, payload: JSON.parse(line.slice(12)) as object }))

test('the journaled run goes over the wire in the default mode exactly as the specification prints it', () => {
  const sent = inCompatMode(exampleRun).filter(({ payload }) => payload.event_seq !== 3)
  expect(sent.map(({ name }) => name)).toEqual(fixture.map(({ name }) => name))
  for (const [index, { payload }] of fixture.entries()) expect(sent[index]?.payload).toMatchObject(payload)
})

test('every patch of the printed run carries the turn as it stands after it', () => {
  const patches = inCompatMode(exampleRun).filter((event) => event.name === 'turn:patch')
  const folded = exampleRun.slice(0, 7).reduce(reduce, emptyProjection)
  expect(patches.map(({ payload }) => payload.data.turn?.patch_sequence)).toEqual([1, 2, 3])
  expect(patches.at(-1)?.payload.data.turn).toEqual(findTurn(folded, 'turn_1'))
})

test.each(fixture)(
  'reading a printed $name (event $payload.event_seq) keeps every field as it is',
  ({ name, payload }) => {
    expect(eventSchemas[name].parse(payload)).toEqual(payload)
  },
)

test('a turn taken out of its event has nothing of the envelope', () => {
  const ended = exampleRun.find((event) => event.name === 'turn:end' && event.payload.turn_id === 'turn_1')
  expect(ended?.name === 'turn:end' && turnOf({ ...ended.payload, replayed: true })).toEqual(endedTurn)
})

test('a numbered event is the event with its number in the payload', () => {
  const event = { name: 'session:deleted', payload: { session_id: 'sess_1' } } as const
  expect(numberEvent(event, 7)).toEqual({ name: 'session:deleted', payload: { session_id: 'sess_1', event_seq: 7 } })
})

test('events of a newer server are told apart from ours, also when named like a property of every object', () => {
  expect(['turn:patch', 'bg:ended', 'future:thing', 'constructor'].map(isEventName)).toEqual([true, true, false, false])
})

test('a payload without the extensions of our server still reads', () => {
  expect(eventSchemas['chat:start'].parse({ session_id: 's' })).toEqual({ session_id: 's', run_id: null, event_seq: 0 })
  expect(eventSchemas['system:error'].parse({ message: 'Busy.', code: 409 })).toMatchObject({ session_id: null })
})

function inCompatMode(events: SessionEvent[]): SessionEvent[] {
  let state = emptyPatchModeState
  let folded: Projection = emptyProjection
  return events.map((event) => {
    folded = reduce(folded, event)
    if (event.name !== 'turn:patch') return event
    const turn = findTurn(folded, event.payload.turn_id)!
    const encoded = encodePatch('compat', state, { patch: event.payload, turn, now: 0 })
    state = encoded.state
    return { name: 'turn:patch', payload: encoded.patch! }
  })
}
