import { runSql, type Work } from '../store/work.ts'

type Entry = { action: string; subject: string; detail: string | null }
/** Where in the reader's own sessions something happened. */
export type Place = { session_id: string | null; run_id: string | null }

const NOWHERE: Place = { session_id: null, run_id: null }

/** For each entry its session and run, as far as they are still there and the reader's. */
export function* placesOf(entries: readonly Entry[], reader_id: string): Work<Place[]> {
  const runs = yield* runsOf(entries.filter(isConfirmation).map(({ subject }) => subject))
  const places = entries.map((entry) => runs.get(entry.subject) ?? { session_id: sessionOf(entry), run_id: null })
  const open = yield* openTo(
    reader_id,
    places.flatMap(({ session_id }) => session_id ?? []),
  )
  return places.map((place) => (place.session_id !== null && open.has(place.session_id) ? place : NOWHERE))
}

const isConfirmation = ({ action }: Entry): boolean => action.startsWith('confirmation.')

/** As whoever did it has written it down. */
function sessionOf({ action, subject, detail }: Entry): string | null {
  if (action === 'tool.run') return detail?.split(' in ').at(-1) ?? null
  if (action.startsWith('share.')) return detail ?? subject
  return null
}

function* runsOf(ids: readonly string[]): Work<ReadonlyMap<string, Place>> {
  if (ids.length === 0) return new Map()
  const rows = yield* runSql<{ id: string; session_id: string; run_id: string }>(
    `SELECT id, session_id, run_id FROM confirmations WHERE id IN (${ids.map(() => '?').join(', ')})`,
    ids,
  )
  return new Map(rows.map(({ id, ...place }) => [id, place]))
}

function* openTo(user_id: string, session_ids: readonly string[]): Work<ReadonlySet<string>> {
  const ids = [...new Set(session_ids)]
  if (ids.length === 0) return new Set()
  const rows = yield* runSql<{ id: string }>(
    `SELECT id FROM sessions WHERE user_id = ? AND id IN (${ids.map(() => '?').join(', ')})`,
    [user_id, ...ids],
  )
  return new Set(rows.map(({ id }) => id))
}
