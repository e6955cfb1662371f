import type { Engine } from '../store/engine.ts'
import { sessionsAtWork } from '../store/run-rows.ts'
import { run } from '../store/work.ts'

/** `idle`: its workspace may go. A session that is not in the answer does not exist. */
export type Fate = 'idle' | 'in_use'

/** Which of these sessions have not been used since `cutoff` (milliseconds), do nothing and wait for nothing. */
export async function fatesOf(
  engine: Engine,
  session_ids: readonly string[],
  cutoff: number,
): Promise<Map<string, Fate>> {
  if (session_ids.length === 0) return new Map()
  const { db } = engine
  const ids = [...new Set(session_ids)]
  const [all, busy] = await engine.read(function* () {
    const sessions = yield* run(
      db.selectFrom('sessions').select(['id', 'is_persistent', 'updated_at']).where('id', 'in', ids),
    )
    const working = yield* sessionsAtWork(engine, ids)
    const commands = yield* run(
      db
        .selectFrom('background_tasks')
        .select('session_id')
        .distinct()
        .where('session_id', 'in', ids)
        .where('status', '=', 'running'),
    )
    return [sessions, [...working, ...commands.map(({ session_id }) => session_id)]] as const
  })
  const inUse = new Set(busy)
  return new Map(
    all.map(({ id, is_persistent, updated_at }) => [
      id,
      is_persistent || inUse.has(id) || Date.parse(updated_at) >= cutoff ? 'in_use' : 'idle',
    ]),
  )
}
