/** What each type of event carries. All durations are whole milliseconds. */
export type AgentEventData = {
  processing_started: { messageId: string }
  iteration_started: { iteration: number; maxIterations: number }
  /** `interrupted`: the server that worked on it is gone; another one begins it anew. */
  iteration_completed: { iteration: number; duration: number; toolCallCount: number; interrupted?: true }
  /** Text to append. `isComplete` stands on the last piece of the final answer only. */
  content_chunk: { content: string; isComplete: boolean }
  tool_call_started: { toolCallId: string; toolName: string; arguments: Record<string, unknown> }
  tool_call_completed: { toolCallId: string; toolName: string; success: true; duration: number; result?: unknown }
  /** `recoverable`: the model is told, and the loop goes on. */
  tool_error: { toolCallId: string; toolName: string; error: string; recoverable: boolean }
  knowledge_retrieved: { documentCount: number; categories: string[]; documents?: RetrievedDocument[] }
  confirmation_check: { description: string }
  confirmation_required: ConfirmResponse & { pendingConfirmation: PendingConfirmation }
  decision: { reason: string; completed: boolean }
  /** `cut`: the answer reached a limit of its length. */
  completed: { messageId: string; totalDuration: number; iterations: number; toolCalls: number; cut?: 'length' }
  max_iterations: { iterations: number; partialContent?: string }
  error: AgentFailure
  cancelled: { reason: CancelReason; partialContent?: string }
  heartbeat: { serverTime: number }
}

export type AgentEventType = keyof AgentEventData

export type AgentEvent = {
  [Type in AgentEventType]: {
    /** `evt_<timestamp>_<n>`. */
    id: string
    type: Type
    /** Milliseconds since 1970. */
    timestamp: number
    sessionId: string
    data: AgentEventData[Type]
  }
}[AgentEventType]

/** `recoverable`: the same message may be sent again. */
export type AgentFailure = { code: string; message: string; recoverable: boolean; details?: Record<string, unknown> }

export type CancelReason = 'user_cancelled' | 'client_disconnected' | 'timeout' | 'server_shutdown'

export type RetrievedDocument = {
  id: string
  title?: string
  category: string
  score: number
  confidence: 'high' | 'medium' | 'low'
}

/** What a person is shown before a risky call. */
export type ConfirmResponse = {
  type: 'confirm'
  message: string
  action: { type: string; target: string; params: Record<string, unknown> }
  risk: 'low' | 'medium' | 'high'
  preview: string
}

/** Names the call that waits; nothing of it is believed when it comes back. Times are ISO 8601. */
export type PendingConfirmation = {
  toolName: string
  arguments: Record<string, unknown>
  userMessage: string
  timestamp: string
  confirmationId: string
  toolCallId: string
  expiresAt: string
}
