import type { Clock } from '../ports.ts'
import { appendEvents } from '../store/append.ts'
import type { Engine } from '../store/engine.ts'
import type { Journal } from '../store/journal.ts'
import { demandSession } from '../store/session-record.ts'
import { setMemoryEnabled, setPinned } from '../store/session-rows.ts'
import { giveTitle } from '../store/session-title.ts'
import { notice } from './notice.ts'
import { readDetail } from './read.ts'
import type { Sessions } from './service.ts'

export type UpdateOptions = { engine: Engine; clock: Clock; journal: Journal; open: (sealed: string) => string }

export function updateSession(options: UpdateOptions): Sessions['update'] {
  const { engine, clock, journal } = options
  const detail = readDetail(options)
  return async (principal, session_id, { intent, is_pinned, memory_enabled }) => {
    await engine.write(function* () {
      const session = yield* demandSession(engine, principal.user_id, session_id)
      if (is_pinned !== undefined) yield* setPinned(session_id, is_pinned)
      if (memory_enabled !== undefined) yield* setMemoryEnabled(session_id, memory_enabled)
      if (intent === undefined) return
      const updated_at = new Date(clock.now()).toISOString()
      yield* giveTitle(engine, session, { title: intent, updated_at })
      yield* appendEvents(journal.appending(session_id, null, [notice('session:updated', { intent, updated_at })]))
    })
    return detail(principal, session_id)
  }
}
