import type { ChatAdapter, ChatHistory } from '../model/chat-adapter.ts'
import { chatKitError, toChatKitError } from '../model/chat-kit-error.ts'
import type { ConversationHistory } from '../model/conversation-history.ts'
import type { OpenIO } from './adapter-io.ts'
import type { ConversationList } from './chat-state.ts'
import type { StateHolder } from './state-holder.ts'

export type ConversationListOptions = {
  holder: StateHolder
  adapter: Pick<ChatAdapter, 'name' | 'history'>
  openIO: OpenIO
  signal: AbortSignal
  onError: (error: ReturnType<typeof toChatKitError>) => void
}

export const PAGE_SIZE = 20

/** The list of conversations the back end keeps. */
export function createConversationList({ holder, adapter, openIO, signal, onError }: ConversationListOptions) {
  const set = (patch: Partial<ConversationList>) =>
    holder.dispatch({ type: 'set', patch: { history: { ...holder.getSnapshot().history, ...patch } } })

  const history = (): ChatHistory => {
    if (!adapter.history) throw chatKitError('unsupported', `${adapter.name} keeps no history.`)
    return adapter.history
  }

  const read = async (page: number, size: number) => {
    set({ status: 'loading', error: null })
    try {
      const found = await history().list(openIO(signal), page, size)
      const before = page === 1 ? [] : holder.getSnapshot().history.items
      set({ status: 'ready', items: merge(before, found), hasMore: found.length >= size })
      return found
    } catch (cause) {
      const error = toChatKitError(cause)
      set({ status: 'failed', error })
      onError(error)
      throw error
    }
  }

  return {
    list: (page = 1, size = PAGE_SIZE): Promise<ConversationHistory[]> => read(page, size),
    /** Brings a list that is on the screen up to date; its failure is in the state. */
    refresh(): void {
      if (adapter.history && holder.getSnapshot().history.status !== 'idle') read(1, PAGE_SIZE).catch(() => {})
    },
    remove: async (id: string): Promise<void> => {
      await history().remove(id, openIO(signal))
      set({ items: holder.getSnapshot().history.items.filter(({ conversationID }) => conversationID !== id) })
    },
    rename: async (id: string, title: string): Promise<void> => {
      const kept = history()
      if (!kept.rename) throw chatKitError('unsupported', `${adapter.name} cannot rename conversations.`)
      await kept.rename(id, title, openIO(signal))
      const items = holder.getSnapshot().history.items
      set({ items: items.map((item) => (item.conversationID === id ? { ...item, title } : item)) })
    },
    messages: (id: string) => history().load(id, openIO(signal)),
  }
}

function merge(before: ConversationHistory[], found: ConversationHistory[]): ConversationHistory[] {
  const known = new Set(before.map(({ conversationID }) => conversationID))
  return [...before, ...found.filter(({ conversationID }) => !known.has(conversationID))]
}
