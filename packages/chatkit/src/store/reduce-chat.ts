import type { ChatMode } from '../model/chat-adapter.ts'
import type { ChatKitError } from '../model/chat-kit-error.ts'
import { type ChatMessage, toChatMessage } from '../model/chat-message.ts'
import type { ChatOp } from '../model/chat-op.ts'
import { RoleType } from '../model/role.ts'
import { applyOps, closeBlocks } from './apply-ops.ts'
import { forkAt, selectBranch } from './branches.ts'
import type { ChatState } from './chat-state.ts'
import { withUnlisted } from './unlisted-failures.ts'

/** Everything that can happen to what the kit shows. */
export type ChatEvent =
  | { type: 'run:start'; runID: string }
  /** The run's messages enter the list; `forkAt` puts them in the place of what stood there. */
  | { type: 'run:show'; messages: ChatMessage[]; messageID: string; forkAt?: number }
  | { type: 'run:ops'; ops: readonly ChatOp[] }
  | { type: 'run:end'; status: 'completed' | 'stopped' | 'failed'; error?: ChatKitError }
  /** The run ends without a trace: its conversation is no longer the one shown, or is read anew. */
  | { type: 'run:abandon'; goesOn: boolean }
  | { type: 'conversation:open'; id: string; messages: ChatMessage[] }
  | { type: 'message:ops'; messageID: string; ops: readonly ChatOp[] }
  | { type: 'branch:select'; messageID: string; version: number }
  | { type: 'set'; patch: Partial<ChatState> }

/** The state after one event. Pure; what the event does not touch stays the same object. */
export function reduceChat(state: ChatState, event: ChatEvent): ChatState {
  switch (event.type) {
    case 'run:start':
      return {
        ...state,
        run: { id: event.runID, messageID: '' },
        status: 'waiting',
        isActiveElsewhere: false,
        connection: 'connected',
        conversationError: null,
      }
    case 'run:show': {
      const { messages, branches } = event.forkAt === undefined ? state : forkAt(state, event.forkAt)
      const run = state.run && { ...state.run, messageID: event.messageID }
      return { ...state, messages: [...messages, ...event.messages], branches, run }
    }
    case 'run:ops':
      return event.ops.reduce(withListOp, withRunOps(state, event.ops))
    case 'run:end':
      return withoutRun({
        ...withRunMessage(state, (message) => endMessage(message, event)),
        ...(event.error?.isConversationGone && { conversationID: '' }),
      })
    case 'run:abandon':
      return { ...withoutRun(state), isActiveElsewhere: event.goesOn }
    case 'conversation:open':
      return {
        ...state,
        conversationID: event.id,
        messages: event.messages,
        branches: {},
        conversationError: null,
        // Whoever follows the conversation tells them once, perhaps before its history was read.
        ...(event.id !== state.conversationID && { mode: 'executing', isModeChosen: false, isActiveElsewhere: false }),
      }
    case 'message:ops':
      return withMessage(state, event.messageID, (message) => applyOps(message, event.ops))
    case 'branch:select':
      return { ...state, ...selectBranch(state, event.messageID, event.version) }
    case 'set':
      return { ...state, ...event.patch }
    default:
      event satisfies never
      return state
  }
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

function endMessage(message: ChatMessage, { status, error }: Extract<ChatEvent, { type: 'run:end' }>): ChatMessage {
  return { ...closeBlocks(message, status), status, ...(error && { error }) }
}

function withoutRun(state: ChatState): ChatState {
  return { ...state, run: null, status: 'idle', connection: 'connected' }
}

function withRunMessage(state: ChatState, change: (message: ChatMessage) => ChatMessage): ChatState {
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

function withMessage(state: ChatState, id: string, change: (message: ChatMessage) => ChatMessage): ChatState {
  const index = state.messages.findLastIndex(({ messageID }) => messageID === id)
  const message = state.messages[index]
  if (!message) return state
  const changed = change(message)
  return changed === message ? state : { ...state, messages: state.messages.with(index, changed) }
}

function isContent({ op }: ChatOp): boolean {
  return op === 'text' || op === 'text_delta' || op === 'reasoning' || op === 'reasoning_delta' || op === 'block'
}
