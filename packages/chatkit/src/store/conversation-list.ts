import type { ChatHistory } from '../model/chat-adapter.ts'
import { chatKitError } from '../model/chat-kit-error.ts'
import type { ConversationHistory } from '../model/conversation-history.ts'
import { demand } from './demand.ts'
import { reportFailure } from './report-failure.ts'
import type { StoreGround } from './store-ground.ts'

const PAGE_SIZE = 20

/** The list of conversations the back end keeps. */
export function createConversationList(ground: StoreGround) {
  const { getSnapshot, dispatch, openIO } = ground
  const { adapter } = ground.options

  const history = (): ChatHistory => {
    demand(adapter, 'history')
    return adapter.history
  }

  const read = async (page: number, size: number) => {
    dispatch({ type: 'list:load' })
    try {
      const items = await history().list(openIO(), page, size)
      dispatch({ type: 'list:show', items, isFirst: page === 1, hasMore: items.length >= size })
      return items
    } catch (cause) {
      throw reportFailure(ground, 'list:fail', cause)
    }
  }

  return {
    getConversations: (page = 1, size = PAGE_SIZE): Promise<ConversationHistory[]> => read(page, size),
    /** Brings a list that is on the screen up to date; its failure is in the state. */
    refresh(): void {
      if (adapter.history && getSnapshot().history.status !== 'idle') read(1, PAGE_SIZE).catch(() => {})
    },
    remove: async (id: string): Promise<void> => {
      await history().remove(id, openIO())
      dispatch({ type: 'list:remove', id })
    },
    renameConversation: async (id: string, title: string): Promise<void> => {
      const kept = history()
      if (!kept.rename) throw chatKitError('unsupported', `${adapter.name} cannot rename conversations.`)
      await kept.rename(id, title, openIO())
      dispatch({ type: 'list:rename', id, title })
    },
    getConversationMessages: (id: string) => history().load(id, openIO()),
  }
}
