import type { ConfirmResponse, PendingConfirmation } from '@parley/protocol/agent-sse'
import type { ConfirmationCard } from '@parley/protocol'
import { riskSchema } from '@parley/protocol/schemas'
import { z } from 'zod'
import type { Language } from '../../words/language.ts'

/** [S8.2] What waits, as an answer. */
export const waitingResponseSchema = z.object({
  type: z.literal('confirm'),
  message: z.string(),
  action: z.object({ type: z.string(), target: z.string(), params: z.record(z.string(), z.unknown()) }),
  risk: riskSchema,
  preview: z.string(),
  pendingConfirmation: z.object({
    toolName: z.string(),
    arguments: z.record(z.string(), z.unknown()),
    userMessage: z.string(),
    timestamp: z.string(),
    confirmationId: z.string(),
    toolCallId: z.string(),
    expiresAt: z.string(),
  }),
})

type Asked = Pick<ConfirmationCard, 'id' | 'tool_call_id' | 'tool_name' | 'arguments' | 'risk' | 'expires_at'>

/** The Chinese ones are the protocol's own, to the letter. */
const WORDS: Record<
  Language,
  { question: (name: string) => string; preview: (name: string, given: string) => string }
> = {
  zh: {
    question: (name) => `即将执行操作: ${name}，请确认是否继续？`,
    preview: (name, given) => `工具: ${name}\n参数: ${given}`,
  },
  en: {
    question: (name) => `About to run: ${name}. Do you want to continue?`,
    preview: (name, given) => `Tool: ${name}\nArguments: ${given}`,
  },
}

/** [S8.2] What a person is asked before a call runs. */
export function confirmResponse({ tool_name, arguments: params, risk }: Asked, language: Language): ConfirmResponse {
  const { target, name } = params
  return {
    type: 'confirm',
    message: WORDS[language].question(tool_name),
    action: { type: tool_name, target: asText(target ?? name ?? 'unknown'), params },
    risk,
    preview: WORDS[language].preview(tool_name, JSON.stringify(params, null, 2)),
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
