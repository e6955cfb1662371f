import {
  isSpecialTool,
  parseArguments,
  ROOT_LOOP,
  textOf,
  type ToolCallProjection,
  type TurnProjection,
} from '@parley/protocol'
import { withoutMeta } from '@parley/protocol/schemas'
import { z } from 'zod'
import { type ToolCallRecord, toolCallRecordSchema } from './agent-response.ts'

/** [S2] An entry of a conversation. */
export const messageSchema = z.object({
  id: z.string(),
  role: z.enum(['user', 'assistant']),
  content: z.string(),
  timestamp: z.string(),
  toolCalls: z.array(toolCallRecordSchema).optional(),
  responseType: z.enum(['execute', 'confirm']).optional(),
})
export type Message = z.infer<typeof messageSchema>

/** [S5.2] What users said, and one answer for each run: the text of its last turn, the calls of all. */
export function messagesOf(turns: readonly TurnProjection[]): Message[] {
  const messages: Message[] = []
  let run_id: string | null = null
  for (const turn of turns) {
    if (turn.loop_id !== ROOT_LOOP || turn.role === 'system' || turn.failure_reason === 'server_stopped') continue
    const message = turn.role === 'user' ? saidByUser(turn) : answerIn(turn)
    const last = messages.at(-1)
    if (turn.role === 'assistant' && last?.role === 'assistant' && run_id !== null && run_id === turn.run_id)
      messages[messages.length - 1] = joined(last, message)
    else if (turn.role === 'assistant' || message.content !== '') messages.push(message)
    run_id = turn.run_id
  }
  return messages
}

function joined(before: Message, { content, toolCalls = [], ...after }: Message): Message {
  const calls = [...(before.toolCalls ?? []), ...toolCalls]
  return { ...after, content, id: before.id, ...(calls.length > 0 && { toolCalls: calls }) }
}

function saidByUser(turn: TurnProjection): Message {
  const answer = turn.blocks.find(({ type }) => type === 'ask_user_answer')
  const content = answer ? ((answer.content as { message?: string | null }).message ?? '') : textOf(turn)
  return { id: turn.client_message_id ?? turn.turn_id, role: 'user', content, timestamp: turn.started_at ?? '' }
}

function answerIn(turn: TurnProjection): Message {
  const made = turn.tool_calls.filter((call) => !isConsentQuestion(call))
  const settled = made.filter(({ status }) => status === 'done' || status === 'error' || status === 'cancelled')
  return {
    id: turn.turn_id,
    role: 'assistant',
    content: textOf(turn),
    timestamp: turn.started_at ?? '',
    responseType: turn.status === 'paused' ? 'confirm' : 'execute',
    ...(settled.length > 0 && { toolCalls: settled.map(recordOf) }),
  }
}

function recordOf({ tool_name, arguments: text, status, result }: ToolCallProjection): ToolCallRecord {
  const given = parseArguments(text)
  const shown = withoutMeta(result)
  const content = typeof shown === 'string' ? shown : JSON.stringify(shown ?? null)
  const data = typeof shown === 'object' && shown !== null ? { data: shown } : {}
  const success = status === 'done'
  return { toolName: tool_name, arguments: '_raw' in given ? {} : given, result: { success, content, ...data } }
}

function isConsentQuestion({ tool_name, arguments: text }: ToolCallProjection): boolean {
  return isSpecialTool(tool_name, 'AskUserQuestion') && 'confirmation' in parseArguments(text)
}
