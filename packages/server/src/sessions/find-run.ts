import { findQueued } from '../runs/accept/queued-send.ts'
import type { Engine } from '../store/engine.ts'
import { isChat } from '../store/run-rows.ts'
import { demandSession } from '../store/session-record.ts'
import { runSql, type Work } from '../store/work.ts'
import type { FoundEvent, FoundRun, Sessions, WhichRun } from './service.ts'

/** Where readers of a run begin. */
export function findRun({ engine }: { engine: Engine }): Sessions['findRun'] {
  return ({ user_id }, session_id, which) =>
    engine.read(function* () {
      yield* demandSession(engine, user_id, session_id)
      return yield* placeOf(session_id, which)
    })
}

/** Which event of which run a reader has. */
export function findEvent({ engine }: { engine: Engine }): Sessions['findEvent'] {
  return ({ user_id }, session_id, event_seq) =>
    engine.read(function* (): Work<FoundEvent | undefined> {
      yield* demandSession(engine, user_id, session_id)
      const [event] = yield* runSql<Exclude<FoundEvent, 'pruned'>>(
        'SELECT at, type, run_id FROM events WHERE session_id = ? AND event_seq = ?',
        [session_id, event_seq],
      )
      if (!event) {
        const [gate] = yield* runSql<{ floor: number }>('SELECT floor FROM gates WHERE session_id = ?', [session_id])
        return gate && event_seq > 0 && event_seq <= gate.floor ? 'pruned' : undefined
      }
      const run = event.run_id === null ? undefined : yield* placeOf(session_id, { run_id: event.run_id })
      return { ...event, ...(run && { run }) }
    })
}

type Found = { run_id: string; since: number | null; floor: number }

function* placeOf(session_id: string, which: WhichRun | { run_id: string }): Work<FoundRun | undefined> {
  const { where, value } = conditionOf(which)
  // The event before the first one: numbers may have been left out between the two.
  const [found] = yield* runSql<Found>(
    `SELECT r.id AS run_id, g.floor, (SELECT max(e.event_seq) FROM events e WHERE e.session_id = r.session_id AND e.event_seq < r.first_seq) AS since
      FROM runs r JOIN gates g ON g.session_id = r.session_id WHERE r.session_id = ? AND ${where} AND ${isChat('r.id')} ORDER BY r.first_seq DESC LIMIT 1`,
    [session_id, ...value],
  )
  if (!found) return yield* queuedRun(session_id, which)
  const since = Math.max(found.since ?? 0, 0)
  return { run_id: found.run_id, since, isPruned: since < found.floor }
}

/** One that begins once a compaction is over. */
function* queuedRun(session_id: string, which: WhichRun | { run_id: string }): Work<FoundRun | undefined> {
  const queued = which === 'last' ? undefined : yield* findQueued(session_id, which === 'active' ? 'any' : which)
  return queued && { run_id: queued.run_id, since: queued.since, isPruned: false }
}

function conditionOf(which: WhichRun | { run_id: string }): { where: string; value: string[] } {
  if (which === 'active') return { where: 'r.id = g.run_id', value: [] }
  if (which === 'last') return { where: '1 = 1', value: [] }
  if ('run_id' in which) return { where: 'r.id = ?', value: [which.run_id] }
  return { where: 'r.client_message_id = ?', value: [which.client_message_id] }
}
