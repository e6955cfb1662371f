import type { ConfirmationCard } from '@parley/protocol'
import type { Language } from '../../words/language.ts'
import { say } from '../../words/phrases.ts'
import type { ConfirmResponse, PendingConfirmation } from './events.ts'

type Asked = Pick<ConfirmationCard, 'id' | 'tool_call_id' | 'tool_name' | 'arguments' | 'risk' | 'expires_at'>

/** [S8.2] What a person is asked before a call runs. */
export function confirmResponse({ tool_name, arguments: params, risk }: Asked, language: Language): ConfirmResponse {
  const { target, name } = params
  return {
    type: 'confirm',
    message: say('agentSse.confirm', language, { name: tool_name }),
    action: { type: tool_name, target: asText(target ?? name ?? 'unknown'), params },
    risk,
    preview: say('agentSse.preview', language, { name: tool_name, arguments: JSON.stringify(params, null, 2) }),
  }
}

export function pendingConfirmation(asked: Asked, userMessage: string, at: number): PendingConfirmation {
  return {
    toolName: asked.tool_name,
    arguments: asked.arguments,
    userMessage,
    timestamp: new Date(at).toISOString(),
    confirmationId: asked.id,
    toolCallId: asked.tool_call_id,
    expiresAt: asked.expires_at,
  }
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
