import type { AgentEvent, AgentEventData } from '@parley/protocol/agent-sse'
import { z } from 'zod'
import { waitingResponseSchema } from './confirm-response.ts'

const given = z.record(z.string(), z.unknown())

/** [S8.2] */
export const toolCallRecordSchema = z.object({
  toolName: z.string(),
  arguments: given,
  result: z.object({ success: z.boolean(), content: z.string(), data: z.unknown().optional() }),
})
export type ToolCallRecord = z.infer<typeof toolCallRecordSchema>

const executeResponseSchema = z.object({
  type: z.literal('execute'),
  message: z.string(),
  data: given.optional(),
  toolCalls: z.array(toolCallRecordSchema).optional(),
})
export const agentResponseSchema = z.discriminatedUnion('type', [executeResponseSchema, waitingResponseSchema])
export type AgentResponse = z.infer<typeof agentResponseSchema>

/** A whole run as one answer. */
export function agentResponse(events: readonly AgentEvent[]): AgentResponse {
  const last = events.at(-1)
  if (last?.type === 'confirmation_required') return last.data
  const toolCalls = callsIn(events)
  const message = last?.type === 'error' ? last.data.message : lastText(events)
  const data = dataOf(events)
  return { type: 'execute', message, ...(data && { data }), ...(toolCalls.length > 0 && { toolCalls }) }
}

/** What is not an ordinary end. */
function dataOf(events: readonly AgentEvent[]): Record<string, unknown> | undefined {
  const last = events.at(-1)
  if (last?.type === 'error') return { error: true, code: last.data.code, recoverable: last.data.recoverable }
  if (last?.type === 'cancelled') return { cancelled: true, reason: last.data.reason }
  const limit = events.find((event) => event.type === 'max_iterations')
  if (limit) return { partial: true, iterations: limit.data.iterations }
  const isRefused = events.some((event) => event.type === 'decision' && REFUSED.has(event.data.reason))
  if (isRefused) return { cancelled: true }
  return last?.type === 'completed' && last.data.cut ? { cut: last.data.cut } : undefined
}

const REFUSED = new Set(['Operation was rejected by user', 'Confirmation expired'])

/** [S5.2] Of the last iteration. */
function lastText(events: readonly AgentEvent[]): string {
  const begun = events.findLastIndex(({ type }) => type === 'iteration_started')
  return events
    .slice(begun + 1)
    .reduce((text, event) => (event.type === 'content_chunk' ? text + event.data.content : text), '')
}

function callsIn(events: readonly AgentEvent[]): ToolCallRecord[] {
  const started = new Map<string, AgentEventData['tool_call_started']>()
  const records: ToolCallRecord[] = []
  for (const event of events) {
    if (event.type === 'tool_call_started') started.set(event.data.toolCallId, event.data)
    if (event.type !== 'tool_call_completed' && event.type !== 'tool_error') continue
    const { toolCallId, toolName } = event.data
    const given = started.get(toolCallId)?.arguments ?? {}
    records.push({ toolName, arguments: given, result: resultOf(event) })
  }
  return records
}

function resultOf(
  event: Extract<AgentEvent, { type: 'tool_call_completed' | 'tool_error' }>,
): ToolCallRecord['result'] {
  if (event.type === 'tool_error') return { success: false, content: event.data.error }
  const { result } = event.data
  if (result === undefined) return { success: true, content: '' }
  return typeof result === 'string'
    ? { success: true, content: result }
    : { success: true, content: JSON.stringify(result), data: result }
}
