import type { ConfirmResponse as Confirm, PendingConfirmation } from '@parley/protocol/agent-sse'

export type ToolCallRecord = {
  toolName: string
  arguments: Record<string, unknown>
  result: { success: boolean; content: string; data?: unknown }
}

/**
 * How a message was answered. `data` tells what is out of the ordinary: `{ error: true, code, recoverable }` a run that
 * failed, `{ cancelled: true }` one that was stopped or refused, `{ partial: true, iterations }` one that reached its limit.
 */
export type ExecuteResponse = { type: 'execute'; message: string; data?: unknown; toolCalls?: ToolCallRecord[] }

/** A call waits for a person. Give `pendingConfirmation` back with the answer. */
export type ConfirmResponse = Confirm & { pendingConfirmation: PendingConfirmation }

export type AgentResponse = ExecuteResponse | ConfirmResponse
