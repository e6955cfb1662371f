import { AgentError } from '@parley/protocol'
import { runSql, type StoredEvent, type Work } from '../store/work.ts'

export type EventsPage = { run_id?: string | undefined; after: number; limit: number; isHiddenShown: boolean }

/** An event, its data only if that is not too long. */
export type EventRow = Omit<StoredEvent, 'data'> & { data: string | null; bytes: number }

export type FoundEvents = { rows: EventRow[]; floor: number; head: number; limited_by: 'count' | 'bytes' | null }

/** The data of one answer, and of one event, in bytes: whoever asks gets the rest with the next question. */
export const ANSWER_BYTES = 2 * 1024 * 1024
export const EVENT_BYTES = 1024 * 1024

/** What is journaled and never sent. */
const IS_HIDDEN = "substr(type, 1, 4) = 'run:'"

/** Events in order. How long they are is looked at first, so that no more is read than goes into one answer. */
export function* readEvents(session_id: string, page: EventsPage): Work<FoundEvents> {
  const [gate] = yield* runSql<{ floor: number; head: number }>('SELECT floor, head FROM gates WHERE session_id = ?', [
    session_id,
  ])
  const { floor = 0, head = 0 } = gate ?? {}
  const { where, parameters } = yield* among(session_id, page)
  const sizes = yield* runSql<{ event_seq: number; bytes: number }>(
    `SELECT event_seq, octet_length(data) AS bytes FROM events WHERE ${where} ORDER BY event_seq LIMIT ?`,
    [...parameters, page.limit + 1],
  )
  const found = sizes.slice(0, page.limit)
  const fitting = countFitting(found)
  const last = found[fitting - 1]
  if (!last) return { rows: [], floor, head, limited_by: null }
  const rows = yield* runSql<EventRow>(
    `SELECT session_id, event_seq, at, run_id, loop_id, turn_id, type, octet_length(data) AS bytes,
        CASE WHEN octet_length(data) > ${EVENT_BYTES} THEN NULL ELSE data END AS data
      FROM events WHERE ${where} AND event_seq <= ? ORDER BY event_seq`,
    [...parameters, last.event_seq],
  )
  const limited_by = fitting < found.length ? 'bytes' : sizes.length > page.limit ? 'count' : null
  return { rows, floor, head, limited_by }
}

/** As many as fit, at least one; what is left out for its length takes no room. */
function countFitting(sizes: readonly { bytes: number }[]): number {
  let sum = 0
  const over = sizes.findIndex(({ bytes }) => (sum += bytes > EVENT_BYTES ? 0 : bytes) > ANSWER_BYTES)
  return over < 0 ? sizes.length : Math.max(over, 1)
}

/** A run's events lie between its first one and the first one of the next run. */
function* among(
  session_id: string,
  { run_id, after, isHiddenShown }: EventsPage,
): Work<{ where: string; parameters: (string | number)[] }> {
  const shown = isHiddenShown ? '' : ` AND NOT ${IS_HIDDEN}`
  if (run_id === undefined)
    return { where: `session_id = ? AND event_seq > ?${shown}`, parameters: [session_id, after] }
  const [run] = yield* runSql<{ first_seq: number; next: number | null }>(
    `SELECT first_seq, (SELECT min(n.first_seq) FROM runs n WHERE n.session_id = r.session_id AND n.first_seq > r.first_seq) AS next
      FROM runs r WHERE id = ? AND session_id = ?`,
    [run_id, session_id],
  )
  if (!run) throw new AgentError('not_found', `There is no run ${run_id} in this session.`)
  return {
    where: `session_id = ? AND event_seq > ? AND event_seq < ? AND run_id = ?${shown}`,
    parameters: [session_id, Math.max(after, run.first_seq - 1), run.next ?? Number.MAX_SAFE_INTEGER, run_id],
  }
}
