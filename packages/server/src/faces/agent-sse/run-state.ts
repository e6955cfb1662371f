/** What a run's entries have told so far, as far as later events depend on it. */
export type RunState = {
  run_id: string
  /** Of the message that started it; `null` until that is told. */
  messageId: string | null
  userMessage: string
  startedAt: number
  maxIterations: number
  /** It goes on with a turn that waited for a person. */
  isContinuation: boolean
  /** Nothing was done: consent was refused, or came too late. */
  declined: 'rejected' | 'expired' | null
  /** The number of the last iteration that counts. */
  iteration: number
  open: OpenIteration | null
  /** When the model call that no iteration belongs to yet was made. */
  calledAt: number | null
  iterations: number
  toolCalls: number
  /** All text of this run. */
  text: string
  calls: Map<string, ToolCall>
  /** The main agent's turns that are told here. */
  turns: Set<string>
}

export type OpenIteration = {
  number: number
  calledAt: number
  toolCalls: number
  /** Its turn has ended without a call: if nothing follows, this was the answer. */
  isAnswer: boolean
}

export type ToolCall = {
  name: string
  arguments: Record<string, unknown>
  /** It only asks for consent to another call. */
  isOurs: boolean
  isStarted: boolean
}

export function newRun(run_id: string, maxIterations: number): RunState {
  return {
    ...{ run_id, messageId: null, userMessage: '', startedAt: 0, maxIterations, isContinuation: false, declined: null },
    ...{ iteration: 0, open: null, calledAt: null, iterations: 0, toolCalls: 0, text: '' },
    calls: new Map(),
    turns: new Set(),
  }
}
