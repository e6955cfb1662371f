import type { Lease } from './leases.ts'
import { runSql, type Work } from './work.ts'

/** What people have asked of a run, as the gate row and the commands tell it. */
export type Gate = { stop_requested: number; commands: number }

export function* gateAndCommands({ session_id, epoch }: Lease): Work<Gate> {
  const [gate] = yield* runSql<{ stop_requested: number }>(
    'UPDATE gates SET epoch = epoch WHERE session_id = ? AND epoch = ? RETURNING stop_requested',
    [session_id, epoch],
  )
  const [pending] = yield* runSql<{ n: number }>(
    'SELECT count(*) AS n FROM commands WHERE session_id = ? AND applied_at IS NULL',
    [session_id],
  )
  return { stop_requested: gate?.stop_requested ?? 0, commands: pending?.n ?? 0 }
}

/** The clock that leases and expiries go by, whichever machine asks. */
export function* databaseNow(): Work<number> {
  const [row] = yield* runSql<{ now: number }>('SELECT now_ms() AS now', [])
  return row!.now
}
