import type { AgentEventData } from '@parley/protocol/agent-sse'
import type { LoopResult } from './loop-result.ts'
import type { AgentResponse, ConfirmResponse, ExecuteResponse, ToolCallRecord } from './responses.ts'

/** What a caller gets back of a run that has ended. */
export class ResponseHandler {
  toResponse(result: LoopResult): AgentResponse {
    const { end, content, toolCalls } = result
    if (end?.type === 'confirmation_required') return this.createConfirmResponse(end.data)
    if (end?.type === 'error') {
      const { message, code, recoverable } = end.data
      return this.createSimpleExecuteResponse(message, { error: true, code, recoverable }, toolCalls)
    }
    if (end?.type === 'cancelled') {
      const { reason, partialContent = '' } = end.data
      return this.createSimpleExecuteResponse(partialContent, { cancelled: true, reason }, toolCalls)
    }
    return this.createSimpleExecuteResponse(content, dataOf(result), toolCalls)
  }

  createSimpleExecuteResponse(message: string, data?: unknown, toolCalls: ToolCallRecord[] = []): ExecuteResponse {
    return {
      type: 'execute',
      message,
      ...(data !== undefined && { data }),
      ...(toolCalls.length > 0 && { toolCalls }),
    }
  }

  createConfirmResponse(asked: AgentEventData['confirmation_required']): ConfirmResponse {
    return { ...asked }
  }
}

const REFUSED = ['Operation was rejected by user', 'Confirmation expired']

function dataOf({ isLimited, iterations, reason }: LoopResult): unknown {
  if (isLimited) return { partial: true, iterations }
  return REFUSED.includes(reason) ? { cancelled: true } : undefined
}
