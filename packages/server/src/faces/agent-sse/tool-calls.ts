import type { PatchEnvelope } from '@parley/protocol'
import { withoutMeta } from '@parley/protocol/schemas'
import type { Said } from './events.ts'
import { tellIteration } from './iterations.ts'
import type { RunState } from './run-state.ts'

type ToolResult = Extract<PatchEnvelope, { patch_type: 'tool_result' }>['data']

/** Told when it begins to act; what never does is told with its end. */
export function startCall(run: RunState, toolCallId: string): Said[] {
  const call = run.calls.get(toolCallId)
  if (!call || call.isOurs || call.isStarted) return []
  call.isStarted = true
  const { name: toolName, arguments: given } = call
  return [...tellIteration(run), { type: 'tool_call_started', data: { toolCallId, toolName, arguments: given } }]
}

/** [S5.3] Only what was done well is called completed. */
export function endCall(run: RunState, ended: ToolResult): Said[] {
  const { tool_call_id: toolCallId, status, result, duration_ms } = ended
  const call = run.calls.get(toolCallId)
  if (!call || call.isOurs) return []
  const begun = startCall(run, toolCallId)
  run.toolCalls += 1
  if (run.open) run.open.toolCalls += 1
  const named = { toolCallId, toolName: call.name }
  if (status !== 'done')
    return [...begun, { type: 'tool_error', data: { ...named, error: textOf(result), recoverable: true } }]
  const shown = result === undefined || result === null || ended.result_truncated ? {} : { result: withoutMeta(result) }
  const data = { ...named, success: true as const, duration: duration_ms ?? 0, ...shown }
  return [...begun, { type: 'tool_call_completed', data }]
}

function textOf(result: unknown): string {
  return typeof result === 'string' ? result : JSON.stringify(withoutMeta(result) ?? null)
}
