import type { AgentEvent } from '@parley/protocol/agent-sse'
import { agentResponse } from '@parley/server/in-process'
import { readResult } from './plugins/given-tools.ts'
import type { AgentResponse, ToolCallRecord } from './responses.ts'

/** What became of a message. */
export type LoopResult = {
  sessionId: string
  messageId: string
  /** The text of the last iteration. */
  content: string
  iterations: number
  toolCalls: ToolCallRecord[]
  response: AgentResponse
}

export function resultOf(messageId: string, events: readonly AgentEvent[]): LoopResult {
  const response = agentResponse(events) as AgentResponse
  const toolCalls = (response.type === 'execute' ? (response.toolCalls ?? []) : []).map(withParts)
  return {
    ...{ sessionId: events[0]?.sessionId ?? '', messageId, content: response.message, toolCalls },
    iterations: events.filter(({ type }) => type === 'iteration_completed').length,
    response: toolCalls.length > 0 ? ({ ...response, toolCalls } as AgentResponse) : response,
  }
}

/** A tool's text and its data, which are stored as one. */
function withParts(record: ToolCallRecord): ToolCallRecord {
  const { success, content, data } = record.result
  return { ...record, result: { success, ...(data === undefined ? { content } : readResult(data)) } }
}
