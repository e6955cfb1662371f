import type { ChatStore } from '../../store/create-chat-store.ts'

/** Sends a chat's first question, unless something has been said in it. A conversation that exists is read before that. */
export async function askFirst(store: ChatStore, question: string): Promise<void> {
  if (store.getSnapshot().conversationID !== '') await store.initialise()
  const { messages, run, conversationError } = store.getSnapshot()
  if (messages.length > 0 || run || conversationError) return
  await store.send(question).catch(() => {}) // The list shows it.
}
