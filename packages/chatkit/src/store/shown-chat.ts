import type { ChatAdapter } from '../model/chat-adapter.ts'
import type { ChatMessage } from '../model/chat-message.ts'
import { initialChatState } from './chat-state.ts'
import { type ChatStore, createChatStore } from './create-chat-store.ts'
import { createStateHolder } from './state-holder.ts'

export type ShownChat = { store: ChatStore; show: (messages: readonly ChatMessage[]) => void }

/** A chat whose messages somebody else has, with no back end behind it. */
export function createShownChat(first: readonly ChatMessage[]): ShownChat {
  const { getSnapshot, subscribe, dispatch } = createStateHolder({ ...initialChatState, messages: [...first] })
  let shown = first
  return {
    store: { ...createChatStore({ adapter: NOBODY }), getSnapshot, subscribe },
    show(messages) {
      if (messages !== shown) dispatch({ type: 'conversation:open', id: '', messages: [...messages] })
      shown = messages
    },
  }
}

const NOBODY: ChatAdapter = { name: '', isAuthError: () => false, send: async function* () {} }
