import type { ChatMode } from '../model/chat-adapter.ts'
import { type ChatMessage, toChatMessage } from '../model/chat-message.ts'
import type { ChatOp } from '../model/chat-op.ts'
import { RoleType } from '../model/role.ts'
import { applyOps } from './apply-ops.ts'
import type { ChatState } from './chat-state.ts'
import { withUnlisted } from './unlisted-failures.ts'

/** The state after some ops of the run under way, or of whoever follows the conversation. */
export function withOps(state: ChatState, ops: readonly ChatOp[]): ChatState {
  return ops.reduce(withListOp, withRunOps(state, ops))
}

/** Blocks, context and id of the answer. */
function withRunOps(state: ChatState, ops: readonly ChatOp[]): ChatState {
  const next = withRunMessage(state, (message) => {
    const changed = applyOps(message, ops)
    const isFirst = changed.status === 'waiting' && changed.content.length > 0
    return isFirst ? { ...changed, status: 'streaming' } : changed
  })
  const status = next.run && ops.some(isContent) ? 'streaming' : next.status
  return status === next.status ? next : { ...next, status }
}

/** What the platform says about more than the one answer. */
function withListOp(state: ChatState, op: ChatOp): ChatState {
  if (op.op === 'conversation') return state.conversationID === '' ? { ...state, conversationID: op.id } : state
  if (op.op === 'connection') return op.state === state.connection ? state : { ...state, connection: op.state }
  if (op.op === 'active')
    return op.isActive === state.isActiveElsewhere ? state : { ...state, isActiveElsewhere: op.isActive }
  if (op.op === 'mode') return withMode(state, op.mode)
  if (op.op === 'branches') return op.branches === state.branches ? state : { ...state, branches: op.branches }
  if (op.op !== 'messages') return state
  const failures = new Map(state.messages.filter(({ error }) => error).map((message) => [message.messageID, message]))
  const listed = op.messages.map((message, index) => {
    const whole =
      message.messageID && message.messageId ? (message as ChatMessage) : toChatMessage(message, `message_${index}`)
    const { error } = failures.get(whole.messageID) ?? {}
    // A list knows that an answer failed, only the run knows why.
    return error && whole.status === 'failed' && !whole.error ? { ...whole, error } : whole
  })
  const answer = state.messages.findLast(({ messageID }) => messageID === state.run?.messageID)
  const isAnswerIn = listed.at(-1)?.role.type === RoleType.Assistant
  // A list that ends with the question leaves out the answer under way.
  const messages = withUnlisted(answer && !isAnswerIn ? [...listed, answer] : listed, state.messages)
  // Whatever kept the conversation from being opened is over: here it is.
  return {
    ...state,
    conversationError: null,
    messages,
    run: state.run && { ...state.run, messageID: messages.at(-1)?.messageID ?? '' },
  }
}

/** A choice stands until the conversation agrees with it. */
function withMode(state: ChatState, mode: ChatMode): ChatState {
  if (mode !== state.mode) return state.isModeChosen ? state : { ...state, mode }
  return state.isModeChosen ? { ...state, isModeChosen: false } : state
}

/** Changes the answer of the run under way. */
export function withRunMessage(state: ChatState, change: (message: ChatMessage) => ChatMessage): ChatState {
  if (!state.run?.messageID) return state
  const next = withMessage(state, state.run.messageID, change)
  const messageID = next === state ? state.run.messageID : renamed(state, next)
  return messageID === state.run.messageID ? next : { ...next, run: { ...state.run, messageID } }
}

/** The run's message is the last of the list, whatever it is called now. */
function renamed(before: ChatState, after: ChatState): string {
  const index = before.messages.findLastIndex(({ messageID }) => messageID === before.run?.messageID)
  return after.messages[index]?.messageID ?? ''
}

export function withMessage(state: ChatState, id: string, change: (message: ChatMessage) => ChatMessage): ChatState {
  const index = state.messages.findLastIndex(({ messageID }) => messageID === id)
  const message = state.messages[index]
  if (!message) return state
  const changed = change(message)
  return changed === message ? state : { ...state, messages: state.messages.with(index, changed) }
}

function isContent({ op }: ChatOp): boolean {
  return op === 'text' || op === 'text_delta' || op === 'reasoning' || op === 'reasoning_delta' || op === 'block'
}
