import type { Risk } from '@parley/protocol'

/** [S5] The sixteen kinds of event with what each of them carries. */
export type AgentEventData = {
  processing_started: { messageId: string }
  iteration_started: { iteration: number; maxIterations: number }
  /** `interrupted`: the server that worked on it is gone; another one begins it anew. */
  iteration_completed: { iteration: number; duration: number; toolCallCount: number; interrupted?: true }
  decision: { reason: string; completed: boolean }
  /** `cut`: the answer reached a limit of its length. */
  completed: { messageId: string; totalDuration: number; iterations: number; toolCalls: number; cut?: 'length' }
  max_iterations: { iterations: number; partialContent?: string }
  content_chunk: { content: string; isComplete: boolean }
  tool_call_started: { toolCallId: string; toolName: string; arguments: Record<string, unknown> }
  tool_call_completed: { toolCallId: string; toolName: string; success: true; duration: number; result?: unknown }
  tool_error: { toolCallId: string; toolName: string; error: string; recoverable: boolean }
  knowledge_retrieved: { documentCount: number; categories: string[] }
  confirmation_check: { description: string }
  confirmation_required: ConfirmResponse & { pendingConfirmation: PendingConfirmation }
  error: AgentFailure
  cancelled: { reason: CancelReason; partialContent?: string }
  heartbeat: { serverTime: number }
}

export type AgentEventType = keyof AgentEventData

export type AgentEvent = {
  [Type in AgentEventType]: {
    id: string
    type: Type
    timestamp: number
    sessionId: string
    data: AgentEventData[Type]
  }
}[AgentEventType]

/** What an event says, before it has its place. */
export type Said = { [Type in AgentEventType]: { type: Type; data: AgentEventData[Type] } }[AgentEventType]

export type CancelReason = 'user_cancelled' | 'client_disconnected' | 'timeout' | 'server_shutdown'

export type AgentFailure = {
  code: string
  message: string
  recoverable: boolean
  details?: Record<string, unknown>
}

/** [S8.2] */
export type ConfirmResponse = {
  type: 'confirm'
  message: string
  action: { type: string; target: string; params: Record<string, unknown> }
  risk: Risk
  preview: string
}

/** [S8.2] Names what waits; nothing of it is ever believed when it comes back. */
export type PendingConfirmation = {
  toolName: string
  arguments: Record<string, unknown>
  userMessage: string
  timestamp: string
  confirmationId: string
  toolCallId: string
  expiresAt: string
}

const TERMINAL: ReadonlySet<AgentEventType> = new Set(['completed', 'confirmation_required', 'error', 'cancelled'])

/** [S6.2.1] The last event of a run. */
export function isTerminal({ type }: { type: AgentEventType }): boolean {
  return TERMINAL.has(type)
}
