import type { Runs } from '../runs/runs.ts'
import { appendEvents } from '../store/append.ts'
import type { Engine } from '../store/engine.ts'
import type { Journal } from '../store/journal.ts'
import { demandSession } from '../store/session-record.ts'
import { deleteSessionRows } from '../store/session-rows.ts'
import { notice } from './notice.ts'
import type { Sessions } from './service.ts'

export type DeleteOptions = {
  engine: Engine
  journal: Journal
  runs: Runs
  /** Tables of features whose rows go with their session. */
  tables: readonly string[]
  /** What features have of a deleted session outside the database. */
  dropSession: (session_id: string) => Promise<void>
}

export function deleteSession({ engine, journal, runs, tables, dropSession }: DeleteOptions): Sessions['delete'] {
  return async ({ user_id }, session_id) => {
    await engine.write(function* () {
      yield* demandSession(engine, user_id, session_id)
      // Followers read this last word before they find the session gone.
      yield* appendEvents(journal.appending(session_id, null, [notice('session:deleted', {})]))
    })
    const abandoned = runs.abandon(session_id)
    await engine.write(() => deleteSessionRows(engine, session_id, tables))
    engine.hub.deleted(session_id)
    // A tool that is still at work would put its files back.
    await abandoned
    await dropSession(session_id)
  }
}
