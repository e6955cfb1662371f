import type { ChatStoreOptions } from './store-options.ts'

export type StoreCallbacks = Pick<ChatStoreOptions, 'onError' | 'onMessage' | 'onConversationChange' | 'onBridge'>

/** Callbacks for a store that outlives those it was made with: hosts write them inline, over values of the moment. */
export function liveCallbacks(read: () => StoreCallbacks): StoreCallbacks {
  return {
    onError: (...told) => read().onError?.(...told),
    onMessage: (...told) => read().onMessage?.(...told),
    onConversationChange: (...told) => read().onConversationChange?.(...told),
    onBridge: (...told) => read().onBridge?.(...told),
  }
}
