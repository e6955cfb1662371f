import { appendEvents } from '../store/append.ts'
import type { Engine } from '../store/engine.ts'
import type { Journal } from '../store/journal.ts'
import { keepPastSecrets } from '../store/past-secrets.ts'
import { demandSession, type SessionRow } from '../store/session-record.ts'
import { setEnvironment, setMemoryEnabled, setPinned } from '../store/session-rows.ts'
import { giveTitle } from '../store/session-title.ts'
import type { Work } from '../store/work.ts'
import { notice } from './notice.ts'
import { readDetail, type ReadOptions } from './read.ts'
import type { Sessions } from './service.ts'

export type UpdateOptions = {
  engine: Engine
  journal: Journal
  seal: (text: string) => string
  open: (sealed: string) => string
} & Pick<ReadOptions, 'solutionOf'>

export function updateSession(options: UpdateOptions): Sessions['update'] {
  const { engine, journal } = options
  const detail = readDetail(options)
  return async (principal, session_id, { intent, is_pinned, memory_enabled, env }) => {
    await engine.write(function* () {
      const session = yield* demandSession(engine, principal.user_id, session_id)
      if (is_pinned !== undefined) yield* setPinned(session_id, is_pinned)
      if (memory_enabled !== undefined) yield* setMemoryEnabled(session_id, memory_enabled)
      if (env !== undefined) yield* replaceEnvironment(session, env, options)
      if (intent === undefined) return
      yield* giveTitle(engine, session, intent)
      const { updated_at } = session
      yield* appendEvents(journal.appending(session_id, null, [notice('session:updated', { intent, updated_at })]))
    })
    return detail(principal, session_id)
  }
}

/** For tools of the next run. What was there may stand in the history, and is still masked where that leaves the server. */
function* replaceEnvironment(
  session: SessionRow,
  env: Readonly<Record<string, string>>,
  { seal }: Pick<UpdateOptions, 'seal'>,
): Work<void> {
  if (session.env !== null) yield* keepPastSecrets(session.id, session.env)
  yield* setEnvironment(session.id, Object.keys(env).length === 0 ? null : seal(JSON.stringify(env)))
}
