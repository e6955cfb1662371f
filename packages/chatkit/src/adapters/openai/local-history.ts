import type { ChatHistory } from '../../model/chat-adapter.ts'
import type { ChatMessage } from '../../model/chat-message.ts'
import type { ConversationHistory } from '../../model/conversation-history.ts'
import { textOfMessage } from '../../model/text-of-message.ts'
import { asArray, parseJson } from '../../stream/parse-json.ts'

/** Where conversations are kept: `localStorage`, `sessionStorage`, or anything like them. */
export type ConversationStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

export type LocalHistory = ChatHistory & { save: (id: string, messages: readonly ChatMessage[]) => void }

const PREFIX = 'chatkit:'
const INDEX = `${PREFIX}index`
const MAX_CONVERSATIONS = 100
const TITLE_LENGTH = 100

/** Keeps conversations of a back end that keeps none; the oldest ones make room. */
export function localHistory(storage: ConversationStorage): LocalHistory {
  const rows = () => asArray(parseJson(storage.getItem(INDEX))) as ConversationHistory[]
  const write = (next: ConversationHistory[]) => {
    for (const { conversationID } of next.slice(MAX_CONVERSATIONS)) storage.removeItem(PREFIX + conversationID)
    storage.setItem(INDEX, JSON.stringify(next.slice(0, MAX_CONVERSATIONS)))
  }
  return {
    list: async (_, page, size) => rows().slice((page - 1) * size, page * size),
    load: async (id) => asArray(parseJson(storage.getItem(PREFIX + id))) as ChatMessage[],
    async remove(id) {
      storage.removeItem(PREFIX + id)
      write(rows().filter(({ conversationID }) => conversationID !== id))
    },
    rename: async (id, title) => write(rows().map((row) => (row.conversationID === id ? { ...row, title } : row))),
    save(id, messages) {
      const known = rows().find(({ conversationID }) => conversationID === id)
      const [first] = messages
      const row = {
        conversationID: id,
        title: known?.title ?? (first ? textOfMessage(first).slice(0, TITLE_LENGTH) : ''),
        created_at: known?.created_at ?? first?.createdAt ?? 0,
        updated_at: messages.findLast(({ createdAt }) => createdAt)?.createdAt ?? 0,
      }
      storage.setItem(PREFIX + id, JSON.stringify(messages))
      write([row, ...rows().filter(({ conversationID }) => conversationID !== id)])
    },
  }
}
