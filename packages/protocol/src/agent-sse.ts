/** The events of the agent SSE protocol (docs/spec/agent-sse.md): their types, how they are made, written and read. */
export type {
  AgentEvent,
  AgentEventData,
  AgentEventType,
  AgentFailure,
  CancelReason,
  ConfirmResponse,
  PendingConfirmation,
  RetrievedDocument,
} from './agent-sse/events.ts'
export { formatSSEEvent, parseSSEEvent } from './agent-sse/frame.ts'
export * from './agent-sse/create-events.ts'
