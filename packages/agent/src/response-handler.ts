import type { AgentEventData } from '@parley/protocol/agent-sse'
import type { LoopResult } from './loop-result.ts'
import type { AgentResponse, ConfirmResponse, ExecuteResponse, ToolCallRecord } from './responses.ts'

/** What a caller gets back. */
export class ResponseHandler {
  toResponse({ response }: LoopResult): AgentResponse {
    return response
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
