import type { MessageContentPart, ToolCallProjection, TurnProjection } from '@parley/client'
import { textOf, thinkingOf } from '@parley/protocol'
import type { ChatMessage, CompactionInfo, ToolCallInfo } from './chat-message.ts'

const made = new WeakMap<TurnProjection, ChatMessage[]>()

/** The messages of one turn; the same objects as long as the turn is the same. */
export function messagesOfTurn(turn: TurnProjection): ChatMessage[] {
  const known = made.get(turn) ?? make(turn)
  made.set(turn, known)
  return known
}

function make(turn: TurnProjection): ChatMessage[] {
  if (turn.kind === 'compaction')
    return [{ ...common(turn), role: 'assistant', content: '', kind: 'compaction', compaction: compactionOf(turn) }]
  if (turn.role === 'system') return [systemMessage(turn)]
  const failure = turn.status === 'failed' && turn.failure_reason
  const isBare = turn.blocks.length === 0 && turn.tool_calls.length === 0
  const message = turn.role === 'user' ? userMessage(turn) : failure && isBare ? null : assistantMessage(turn)
  return [...(message ? [message] : []), ...(failure ? [errorMessage(failure, turn, message !== null)] : [])]
}

/** An answer to a question is a message only if there is something to read. */
function userMessage(turn: TurnProjection): ChatMessage | null {
  const [answer] = turn.blocks
  const isAnswer = answer?.type === 'ask_user_answer'
  if (isAnswer && !answer.content.message) return null
  const text = isAnswer ? (answer.content.message ?? '') : textOf(turn)
  const parts = turn.content_parts as MessageContentPart[] | null | undefined
  const content = parts?.length ? parts : text
  return { ...common(turn), role: 'user', content, ...(turn.sources && { sources: turn.sources }) }
}

function assistantMessage(turn: TurnProjection): ChatMessage {
  const reasoning = thinkingOf(turn)
  return {
    ...common(turn),
    role: 'assistant',
    content: textOf(turn),
    ...(reasoning && { reasoning }),
    ...(turn.tool_calls.length > 0 && { tool_calls: turn.tool_calls.map(toolCallInfo) }),
    ...(turn.memory_refs && { memory_refs: turn.memory_refs }),
    ...(turn.citations && { citations: turn.citations }),
  }
}

const KINDS = ['mode_change', 'plan_status', 'planning_enter', 'planning_exit'] as const

/** One message, whatever happened at once: programs use `entry_id` as a key. The first block says what kind it is. */
function systemMessage(turn: TurnProjection): ChatMessage {
  const kind = turn.blocks.map(({ type }) => KINDS.find((known) => known === type)).find((found) => found !== undefined)
  const content = turn.blocks.map((block) => (block.type === 'system_notification' ? block.content : '')).join('')
  return { ...common(turn), role: 'assistant', content, ...(kind && { kind }) }
}

/** Programs use `entry_id` as a key, so beside a message of the same turn it cannot be the turn's alone. */
export function errorMessage(content: string, turn?: TurnProjection, isBeside = false): ChatMessage {
  if (!turn) return { role: 'error', content, entry_id: 'error' }
  const { blocks: _blocks, duration_ms: _duration, ...fields } = common(turn)
  return { role: 'error', content, ...fields, entry_id: isBeside ? `${turn.id}:error` : turn.id }
}

const infos = new WeakMap<ToolCallProjection, ToolCallInfo>()

/** The same object as long as the call is the same. */
export function toolCallInfo(call: ToolCallProjection): ToolCallInfo {
  const { tool_name, ...rest } = call
  const info = infos.get(call) ?? { ...rest, name: tool_name }
  infos.set(call, info)
  return info
}

function common({ id, status, duration_ms, started_at, loop_id, blocks }: TurnProjection) {
  return {
    entry_id: id,
    status,
    duration_ms,
    loop_name: loop_id,
    blocks,
    ...(started_at && { timestamp: started_at }),
  }
}

function compactionOf(turn: TurnProjection): CompactionInfo {
  const { compaction_id, summary_preview, summary_full, archived_count } = turn
  const { tokens_before, tokens_after, saved_ratio, trigger } = turn
  return {
    ...{ compaction_id, summary_preview, summary_full, archived_count },
    ...{ tokens_before, tokens_after, saved_ratio, trigger },
  }
}
