import type { AgentEvent, AgentEventData, AgentEventType, CancelReason } from './events.ts'

let count = 0

/** Unique in this process. A server takes the numbers of its journal instead. */
export function generateEventId(timestamp = Date.now()): string {
  return `evt_${timestamp}_${++count}`
}

export const createProcessingStartedEvent = (sessionId: string, messageId: string) =>
  create('processing_started', sessionId, { messageId })

export const createIterationStartedEvent = (sessionId: string, iteration: number, maxIterations: number) =>
  create('iteration_started', sessionId, { iteration, maxIterations })

// The protocol's own examples call these with their arguments in a row.
/* oxlint-disable max-params */
export const createIterationCompletedEvent = (
  sessionId: string,
  iteration: number,
  duration: number,
  toolCallCount: number,
) => create('iteration_completed', sessionId, { iteration, duration, toolCallCount })

export const createContentChunkEvent = (sessionId: string, content: string, isComplete: boolean) =>
  create('content_chunk', sessionId, { content, isComplete })

export const createToolCallStartedEvent = (
  sessionId: string,
  toolCallId: string,
  toolName: string,
  args: Record<string, unknown>,
) => create('tool_call_started', sessionId, { toolCallId, toolName, arguments: args })

export const createToolCallCompletedEvent = (
  sessionId: string,
  toolCallId: string,
  toolName: string,
  success: true,
  duration: number,
  result?: unknown,
) =>
  create('tool_call_completed', sessionId, {
    ...{ toolCallId, toolName, success, duration },
    ...(result !== undefined && { result }),
  })

export const createToolErrorEvent = (
  sessionId: string,
  toolCallId: string,
  toolName: string,
  error: string,
  recoverable: boolean,
) => create('tool_error', sessionId, { toolCallId, toolName, error, recoverable })

export const createKnowledgeRetrievedEvent = (sessionId: string, documentCount: number, categories: string[]) =>
  create('knowledge_retrieved', sessionId, { documentCount, categories })

export const createConfirmationCheckEvent = (sessionId: string, description: string) =>
  create('confirmation_check', sessionId, { description })

export const createConfirmationRequiredEvent = (sessionId: string, response: AgentEventData['confirmation_required']) =>
  create('confirmation_required', sessionId, response)

export const createDecisionEvent = (sessionId: string, reason: string, completed: boolean) =>
  create('decision', sessionId, { reason, completed })

export const createCompletedEvent = (
  sessionId: string,
  messageId: string,
  totalDuration: number,
  iterations: number,
  toolCalls: number,
) => create('completed', sessionId, { messageId, totalDuration, iterations, toolCalls })

export const createMaxIterationsEvent = (sessionId: string, iterations: number, partialContent?: string) =>
  create('max_iterations', sessionId, { iterations, ...(partialContent && { partialContent }) })

export const createErrorEvent = (
  sessionId: string,
  code: string,
  message: string,
  recoverable: boolean,
  details?: Record<string, unknown>,
) => create('error', sessionId, { code, message, recoverable, ...(details && { details }) })
/* oxlint-enable max-params */

export const createCancelledEvent = (sessionId: string, reason: CancelReason, partialContent?: string) =>
  create('cancelled', sessionId, { reason, ...(partialContent && { partialContent }) })

export const createHeartbeatEvent = (sessionId: string) => create('heartbeat', sessionId, { serverTime: Date.now() })

type EventOf<Type extends AgentEventType> = Extract<AgentEvent, { type: Type }>

function create<Type extends AgentEventType>(type: Type, sessionId: string, data: AgentEventData[Type]): EventOf<Type> {
  const timestamp = Date.now()
  return { id: generateEventId(timestamp), type, timestamp, sessionId, data } as unknown as EventOf<Type>
}
