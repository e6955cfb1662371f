import type { AgentEvent } from '@parley/protocol/agent-sse'
import type { ToolCallRecord } from './responses.ts'
import { readResult } from './plugins/given-tools.ts'

/** What became of a message, folded from its events. */
export type LoopResult = {
  sessionId: string
  messageId: string
  /** The text of the last iteration. */
  content: string
  iterations: number
  toolCalls: ToolCallRecord[]
  /** Why it stopped, in the words of the protocol; empty where no such word was told. */
  reason: string
  completed: boolean
  isLimited: boolean
  /** The terminal event; absent while it runs. */
  end?: AgentEvent
}

export function newResult(sessionId: string, messageId: string): LoopResult {
  return {
    ...{ sessionId, messageId, content: '', iterations: 0, toolCalls: [] },
    ...{ reason: '', completed: false, isLimited: false },
  }
}

const TERMINAL: ReadonlySet<AgentEvent['type']> = new Set(['completed', 'confirmation_required', 'error', 'cancelled'])
const calls = new WeakMap<LoopResult, Map<string, Omit<ToolCallRecord, 'result'>>>()

export function foldRun(result: LoopResult, event: AgentEvent): void {
  const { type, data } = event
  if (TERMINAL.has(type)) result.end = event
  if (type === 'iteration_started') result.content = ''
  if (type === 'iteration_completed') result.iterations += 1
  if (type === 'content_chunk') result.content += data.content
  if (type === 'max_iterations') result.isLimited = true
  if (type === 'decision') Object.assign(result, data)
  if (type === 'tool_call_started')
    begun(result).set(data.toolCallId, { toolName: data.toolName, arguments: data.arguments })
  if (type === 'tool_call_completed')
    settle(result, data.toolCallId, { success: true, ...readResult(data.result ?? '') })
  if (type === 'tool_error') settle(result, data.toolCallId, { success: false, content: data.error })
}

function begun(result: LoopResult): Map<string, Omit<ToolCallRecord, 'result'>> {
  const known = calls.get(result) ?? new Map<string, Omit<ToolCallRecord, 'result'>>()
  calls.set(result, known)
  return known
}

function settle(result: LoopResult, toolCallId: string, ended: ToolCallRecord['result']): void {
  const call = begun(result).get(toolCallId)
  if (call) result.toolCalls.push({ ...call, result: ended })
}
