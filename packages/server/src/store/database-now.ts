import { runSql, type Work } from './work.ts'

/** The clock that leases and expiries go by, whichever machine asks. */
export function* databaseNow(): Work<number> {
  const [row] = yield* runSql<{ now: number }>('SELECT now_ms() AS now', [])
  return row!.now
}
