import { raiseFloor } from './gate.ts'
import { firstUnended } from './run-rows.ts'
import { type Work, runSql } from './work.ts'

/**
 * As `addText` writes them. A quote that stands for itself is never part of what somebody said, in which it has a backslash
 * before it; but results and cards are stored as they are, whatever they hold.
 */
const PATCH = '%"patch_type":"add_content","data":{"type":"'
const IS_INCREMENT = `type = 'turn:patch' AND (data LIKE '${PATCH}text","text_delta":"%' OR data LIKE '${PATCH}thinking","text_delta":"%')
  AND data NOT LIKE '%"patch_type":"tool_result"%' AND data NOT LIKE '${PATCH}tool_%'`

/**
 * Forgets the text increments of a session's finished turns that are older than `before`: the text itself stays, in the
 * turns' rows, and what else happened lives as long as the session.
 * Raises the floor in the same transaction, so that a reader from before it is sent to a snapshot, never into a hole.
 * Nothing of an active or waiting run is touched. Returns the number of events removed.
 */
export function* pruneEvents(session_id: string, before: number): Work<number> {
  const end = (yield* firstUnended(session_id)) ?? Number.MAX_SAFE_INTEGER
  const [last] = yield* runSql<{ seq: number | null }>(
    'SELECT max(event_seq) AS seq FROM events WHERE session_id = ? AND at < ? AND event_seq < ?',
    [session_id, before, end],
  )
  if (!last?.seq) return 0
  const floor = yield* raiseFloor(session_id, last.seq)
  if (floor === undefined) return 0
  // Below the floor only what stays is left: nobody goes through that again.
  const removed = yield* runSql(
    `DELETE FROM events WHERE session_id = ? AND event_seq > ? AND event_seq <= ? AND ${IS_INCREMENT} RETURNING event_seq`,
    [session_id, floor, last.seq],
  )
  return removed.length
}
