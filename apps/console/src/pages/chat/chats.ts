import { type ChatStore, createChatStore, everyFrame, parley } from '@parley/chatkit'
import { client } from '../../data/client.ts'

/** How many sessions stay open behind the one that is shown: going back to one of them is at once. */
const KEPT = 8

/** What the reader chose beside the text box. Read when a message is sent. */
export type Choice = { model: string; agent: string }
export type OpenChat = { store: ChatStore; choice: Choice }

const open = new Map<string, OpenChat>()

/** The chat of a session, kept from before or opened now. The empty id is a session that does not exist yet. */
export function openChat(id: string): OpenChat {
  const found = open.get(id)
  open.delete(id)
  const chat = found ?? newChat(id)
  open.set(id, chat)
  for (const [oldest, { store }] of open) {
    if (open.size <= KEPT) break
    open.delete(oldest)
    store.dispose()
  }
  return chat
}

/** The first message made a session of what was none; the next new one begins empty again. */
export function nameChat(id: string): void {
  const chat = open.get('')
  if (!chat || open.has(id)) return
  open.delete('')
  open.set(id, chat)
}

function newChat(id: string): OpenChat {
  const choice: Choice = { model: '', agent: '' }
  const adapter = parley({
    client,
    get model() {
      return choice.model
    },
    get agent() {
      return choice.agent
    },
  })
  const chat = {
    choice,
    store: createChatStore({ adapter, conversationID: id, maxLength: MAX_LENGTH, schedule: everyFrame }),
  }
  void chat.store.initialise()
  return chat
}

/** What an agent may be given at once: a log, a file, a page of code. The server takes more. */
export const MAX_LENGTH = 100_000
