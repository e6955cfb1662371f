import { emptyProjection, type Task } from '@parley/protocol'
import type { AdapterIO } from '../../model/chat-adapter.ts'
import { SessionExtras } from './session-extras.ts'
import { createTurnMapper, type TurnMapper } from './turn-messages.ts'

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

  return {
    extrasOf,
    mapOf:
      (id: string, io: AdapterIO): TurnMapper =>
      (turns, tasks) =>
        extrasOf(id).apply(
          mapperOf(io)(turns, tasks === emptyProjection.tasks ? (storedTasks.get(id) ?? tasks) : tasks),
        ),
    /** What was read with the history of a session. */
    keepTasks: (id: string, tasks: readonly Task[]): void => void storedTasks.set(id, tasks),
  }
}
