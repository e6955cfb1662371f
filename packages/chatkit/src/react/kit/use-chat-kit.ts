import { useMemo, useRef, useSyncExternalStore } from 'react'
import type { Block, ChatMessage } from '../../model/chat-message.ts'
import type { ChatState } from '../../store/chat-state.ts'
import type { ChatStore } from '../../store/create-chat-store.ts'
import { useStore } from './kit-context.ts'

/** One value of the chat's state; the component draws again only when that value changes. */
export function useChatState<T>(select: (state: ChatState) => T): T {
  const store = useStore()
  const get = () => select(store.getSnapshot())
  return useSyncExternalStore(store.subscribe, get, get)
}

type Actions = Omit<
  ChatStore,
  'adapter' | 'getSnapshot' | 'subscribe' | 'subscribeBridge' | 'initialise' | 'tokens' | 'openIO' | 'dispose' | 'flush'
>
export type ChatKitHandle = ChatState & Actions & { store: ChatStore }

/** The whole chat: everything it shows and everything that can be done with it. */
export function useChatKit(): ChatKitHandle {
  const store = useStore()
  const state = useChatState((whole) => whole)
  return useMemo(() => ({ ...store, ...state, store }), [store, state])
}

/** One message, by either of its ids. */
export function useMessage(messageID: string): ChatMessage | undefined {
  // Found again where it was: a list that grows at its end is not searched for each message of it.
  const index = useRef(0)
  return useChatState(({ messages }) => {
    const isIt = (message: ChatMessage | undefined) =>
      message?.messageID === messageID || message?.localID === messageID
    if (!isIt(messages[index.current])) index.current = messages.findIndex(isIt)
    return messages[index.current]
  })
}

/** One block of a message. */
export function useBlock(messageID: string, key: string): Block | undefined {
  const message = useMessage(messageID)
  return message?.content.find((block) => block.key === key)
}
