import { emptyProjection, type Task } from '@parley/protocol'
import type { AdapterIO } from '../../model/chat-adapter.ts'
import { SessionExtras } from './session-extras.ts'
import type { ChatOp } from '../../model/chat-op.ts'
import { createTurnMapper, type TurnMapper } from './turn-messages.ts'

/** A session's turns as the store is told of them: the messages, and which versions there are of them. */
export type TurnTeller = (...state: Parameters<TurnMapper>) => ChatOp[]

export type SessionViews = ReturnType<typeof createSessionViews>

/** How sessions look as messages: their turns, and what turns do not tell. */
export function createSessionViews() {
  // One for all: the client hands out the same turns to everybody, so messages stay the same objects too.
  const mappers = new Map<string, TurnMapper>()
  /** Task lists as they were when their session was opened; events tell only what changes. */
  const storedTasks = new Map<string, readonly Task[]>()
  const extrasBySession = new Map<string, SessionExtras>()

  const mapperOf = ({ locale }: AdapterIO): TurnMapper => {
    const map = mappers.get(locale) ?? createTurnMapper(locale)
    mappers.set(locale, map)
    return map
  }

  const extrasOf = (id: string): SessionExtras => {
    const extras = extrasBySession.get(id) ?? new SessionExtras()
    extrasBySession.set(id, extras)
    return extras
  }

  const mapOf =
    (id: string, io: AdapterIO): TurnMapper =>
    (turns, tasks) =>
      extrasOf(id).apply(mapperOf(io)(turns, tasks === emptyProjection.tasks ? (storedTasks.get(id) ?? tasks) : tasks))

  return {
    extrasOf,
    mapOf,
    tellOf: (id: string, io: AdapterIO): TurnTeller => {
      const map = mapOf(id, io)
      return (turns, tasks) => {
        const messages = map(turns, tasks)
        return [
          { op: 'messages', messages },
          { op: 'branches', branches: extrasOf(id).branchesOf(messages) },
        ]
      }
    },
    /** What was read with the history of a session. */
    keepTasks: (id: string, tasks: readonly Task[]): void => void storedTasks.set(id, tasks),
  }
}
