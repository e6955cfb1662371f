import { isAgentError } from '@parley/protocol'
import type { Features } from './features.ts'
import type { Sessions } from './sessions/service.ts'
import type { Engine } from './store/engine.ts'
import { runSql } from './store/work.ts'

export type ForgetOptions = {
  engine: Engine
  sessions: Pick<Sessions, 'delete'>
  features: Pick<Features, 'dropUser'>
}

/** Deletes what a removed user and the visitors of their account have, and then their rows: those that are there are not done. */
export async function forgetUser(user_id: string, { engine, sessions, features }: ForgetOptions): Promise<void> {
  const visitors = await engine.select<{ id: string }>('SELECT id FROM users WHERE account_id = ?', [user_id])
  for (const { id } of [...visitors, { id: user_id }]) {
    // First what could begin something new.
    await engine.write(() => dropSchedules(id))
    for (const session of await engine.select<{ id: string }>('SELECT id FROM sessions WHERE user_id = ?', [id]))
      await sessions.delete({ user_id: id }, session.id).catch(unlessGone)
    await features.dropUser(id)
    await engine.write(() => runSql('DELETE FROM users WHERE id = ?', [id]))
  }
}

/** Goes on where a server stopped while it forgot somebody. */
export async function forgetRemovedUsers(options: ForgetOptions): Promise<void> {
  for (const { id } of await options.engine.select<{ id: string }>(
    'SELECT id FROM users WHERE removed_at IS NOT NULL',
    [],
  ))
    await forgetUser(id, options)
}

/** Another instance may be at it, too. */
function unlessGone(error: unknown): void {
  if (!isAgentError(error, 'session_not_found')) throw error
}

function* dropSchedules(user_id: string) {
  yield* runSql('DELETE FROM slots WHERE task_id IN (SELECT id FROM schedules WHERE user_id = ?)', [user_id])
  yield* runSql('DELETE FROM schedules WHERE user_id = ?', [user_id])
}
