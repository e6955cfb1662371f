import type { ChatHistory } from '../../model/chat-adapter.ts'
import type { Connection } from './connection.ts'
import type { SessionViews } from './session-views.ts'

/** The sessions that the server keeps, as conversations. Their titles are the server's. */
export function parleyHistory({ ask }: Pick<Connection, 'ask'>, views: SessionViews): ChatHistory {
  return {
    async list(io, page, size) {
      const query = { limit: size, offset: (page - 1) * size }
      const { items } = await ask(io, (sessions) => sessions.listSessionsPaginated(query))
      return items.map(({ id, intent, created_at, updated_at }) => ({
        conversationID: id,
        title: intent,
        created_at: Date.parse(created_at),
        updated_at: Date.parse(updated_at),
      }))
    },
    async load(id, io) {
      const turns = await ask(io, (sessions) => sessions.getSessionTurns(id))
      // An older server may not tell them; the conversation is complete without.
      const tasks = await ask(io, (sessions) => sessions.getSessionTasks(id)).catch(() => [])
      views.keepTasks(id, tasks)
      return views.mapOf(id, io)(turns, tasks)
    },
    remove: async (id, io) => void (await ask(io, (sessions) => sessions.deleteSession(id))),
    rename: async (id, title, io) => void (await ask(io, (sessions) => sessions.updateSession(id, { intent: title }))),
  }
}
