import type { ChatMessage } from '../model/chat-message.ts'
import type { ConversationHistory } from '../model/conversation-history.ts'
import { applyOps, closeBlocks } from './apply-ops.ts'
import { forkAt, selectBranch } from './branches.ts'
import type { ChatEvent } from './chat-event.ts'
import type { ChatState, ConversationList } from './chat-state.ts'
import { withMessage, withOps, withRunMessage } from './run-ops.ts'

/** The state after one event. Pure; what the event does not touch stays the same object. */
export function reduceChat(state: ChatState, event: ChatEvent): ChatState {
  const change = changeOf(state, event)
  return change === state ? state : { ...state, ...change }
}

/** What an event changes; the state itself when that is nothing. */
function changeOf(state: ChatState, event: ChatEvent): Partial<ChatState> {
  switch (event.type) {
    case 'run:start':
      return {
        run: { id: event.runID, messageID: '' },
        status: 'waiting',
        isActiveElsewhere: false,
        connection: 'connected',
        conversationError: null,
      }
    case 'run:show': {
      const { messages, branches } = event.forkAt === undefined ? state : forkAt(state, event.forkAt)
      const run = state.run && { ...state.run, messageID: event.messageID }
      return { messages: [...messages, ...event.messages], branches, run }
    }
    case 'run:ops':
      return withOps(state, event.ops)
    case 'run:end':
      return {
        ...withRunMessage(state, (message) => endMessage(message, event)),
        ...(event.error?.isConversationGone && { conversationID: '' }),
        ...NO_RUN,
      }
    case 'run:abandon':
      return { ...NO_RUN, isActiveElsewhere: event.goesOn }
    case 'conversation:open':
      return {
        conversationID: event.id,
        messages: event.messages,
        branches: event.messages === state.messages ? state.branches : {},
        conversationError: null,
        // Whoever follows the conversation tells them once, perhaps before its history was read.
        ...(event.id !== state.conversationID && { mode: 'executing', isModeChosen: false, isActiveElsewhere: false }),
      }
    case 'conversation:new':
      return {
        ...changeOf(state, { type: 'conversation:open', id: '', messages: [] }),
        applicationContext: undefined,
        attachments: [],
      }
    case 'conversation:name':
      return event.id === state.conversationID ? state : { conversationID: event.id, conversationError: null }
    case 'conversation:fail':
      return { conversationError: event.error }
    case 'onboarding:load':
      return { onboarding: { status: 'loading' } }
    case 'onboarding:show':
      return { onboarding: { status: 'ready', info: event.info } }
    case 'message:ops':
      return withMessage(state, event.messageID, (message) => applyOps(message, event.ops))
    case 'message:withdraw':
      return { messages: without(state.messages, event.messages) }
    case 'branch:select':
      return selectBranch(state, event.messageID, event.version)
    case 'input:write':
      return { textInput: event.text }
    case 'input:attach':
      return { attachments: [...state.attachments, event.attachment] }
    case 'input:detach':
      return { attachments: state.attachments.toSpliced(event.index, 1) }
    case 'input:take': {
      const { textInput, attachments } = state
      return {
        textInput: textInput.startsWith(event.text) ? textInput.slice(event.text.length) : textInput,
        attachments: without(attachments, event.attachments),
      }
    }
    case 'context:inject':
      return { applicationContext: event.context }
    case 'context:default':
      return { defaultApplicationContext: event.context }
    case 'mode:choose':
      return { mode: event.mode, isModeChosen: true }
    case 'queue:add':
      return { queue: [...state.queue, event.message] }
    case 'queue:remove':
      return { queue: state.queue.filter(({ id }) => !event.ids.includes(id)) }
    case 'list:load':
      return withList(state, { status: 'loading', error: null })
    case 'list:show': {
      const items = event.isFirst ? event.items : merge(state.history.items, event.items)
      return withList(state, { status: 'ready', items, hasMore: event.hasMore })
    }
    case 'list:fail':
      return withList(state, { status: 'failed', error: event.error })
    case 'list:remove':
      return withList(state, { items: state.history.items.filter((item) => item.conversationID !== event.id) })
    case 'list:rename': {
      const { id, title } = event
      const rename = (item: ConversationHistory) => (item.conversationID === id ? { ...item, title } : item)
      return withList(state, { items: state.history.items.map(rename) })
    }
    default:
      event satisfies never
      return state
  }
}

function endMessage(message: ChatMessage, { status, error }: Extract<ChatEvent, { type: 'run:end' }>): ChatMessage {
  return { ...closeBlocks(message, status), status, ...(error && { error }) }
}

const NO_RUN = { run: null, status: 'idle', connection: 'connected' } as const

function without<Item>(all: readonly Item[], left: readonly Item[]): Item[] {
  return all.filter((item) => !left.includes(item))
}

function withList({ history }: ChatState, change: Partial<ConversationList>): Pick<ChatState, 'history'> {
  return { history: { ...history, ...change } }
}

function merge(before: ConversationHistory[], found: ConversationHistory[]): ConversationHistory[] {
  const known = new Set(before.map(({ conversationID }) => conversationID))
  return [...before, ...found.filter(({ conversationID }) => !known.has(conversationID))]
}
