import type { AgentSessionState, TurnProjection } from '@parley/client'
import type { ChatMessage } from './chat-message.ts'
import { errorMessage, messagesOfTurn } from './turn-messages.ts'

export type SessionMessages = {
  /** The main conversation, oldest first. */
  messages: ChatMessage[]
  /** The messages of sub-agents, by the id of the call that started them. */
  agentLoops: Readonly<Record<string, ChatMessage[]>>
}

export const NO_MESSAGES: SessionMessages = { messages: [], agentLoops: {} }

/** A session as messages: those of sub-agents apart, and at the end why the last run failed. */
export function sessionMessages({
  turns,
  status,
  errorMessage: reason,
}: Pick<AgentSessionState, 'turns' | 'status' | 'errorMessage'>): SessionMessages {
  const agentLoops: Record<string, ChatMessage[]> = {}
  const messages: ChatMessage[] = []
  for (const turn of turns) {
    const parent = turn.parent_fork_tool_call_id
    const list = parent ? (agentLoops[parent] ??= []) : messages
    list.push(...messagesOfTurn(turn))
  }
  const isUntold = status === 'failed' && reason && !isFailed(turns.at(-1))
  return { messages: isUntold ? [...messages, errorMessage(reason, turns.at(-1), true)] : messages, agentLoops }
}

function isFailed(turn: TurnProjection | undefined): boolean {
  return turn?.status === 'failed' && Boolean(turn.failure_reason)
}
