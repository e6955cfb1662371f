import { withdrawConfirmations } from '../confirm/confirmations.ts'
import { endQueued } from '../runs/accept/end-queued.ts'
import { findQueued } from '../runs/accept/queued-send.ts'
import { type BookPorts, openBook } from '../runs/open-book.ts'
import type { Runs } from '../runs/runs.ts'
import { closeWaiting, interruptWaiting } from '../runs/waiting.ts'
import { findGate, type LockedGate, lockGate, requestStop } from '../store/gate.ts'
import type { Journal } from '../store/journal.ts'
import { COMPACT_RUN, findWaitingRun, isQuietRun } from '../store/run-rows.ts'
import { demandSession, type SessionRow } from '../store/session-record.ts'
import type { Work } from '../store/work.ts'
import type { Sessions } from './service.ts'

export type StopOptions = BookPorts & { journal: Journal; runs: Runs }

export function stopRun(options: StopOptions): Sessions['stop'] {
  const { engine, runs } = options
  return async ({ user_id }, session_id, run_id) => {
    const outcome = await engine.write(() => stop({ user_id, session_id, run_id }, options))
    if (typeof outcome === 'object') {
      runs.stop(session_id, outcome.run_id)
      runs.tellOwner(session_id)
    }
    return outcome !== 'nothing'
  }
}

export function isEnding({ engine }: Pick<StopOptions, 'engine'>): Sessions['isEnding'] {
  return ({ user_id }, session_id, run_id) =>
    engine.read(function* () {
      yield* demandSession(engine, user_id, session_id)
      const gate = yield* findGate(session_id)
      if (gate?.run_id === run_id) return gate.stop_requested === 1
      return !(yield* findQueued(session_id, { run_id }))
    })
}

type Stop = { user_id: string; session_id: string; run_id: string | undefined }

/** A run under way is asked to stop. Where one waits nothing runs, so nothing ends: what waited is withdrawn ([WR-41]). */
function* stop(
  { user_id, session_id, run_id }: Stop,
  options: StopOptions,
): Work<{ run_id: string } | 'withdrawn' | 'nothing'> {
  const session = yield* demandSession(options.engine, user_id, session_id)
  const gate = yield* lockGate(session_id)
  if (isQuietRun(gate.run_id)) return yield* stopQuiet({ session, gate, run_id }, options)
  if (gate.run_id !== null) {
    if (run_id !== undefined && run_id !== gate.run_id) return 'nothing'
    yield* requestStop(session_id)
    return { run_id: gate.run_id }
  }
  const waiting = yield* findWaitingRun(session_id)
  if (!waiting || (run_id !== undefined && run_id !== waiting.id)) return 'nothing'
  const book = yield* openBook(session, { run_id: waiting.id }, options)
  closeWaiting(book, 'stopped')
  yield* withdrawConfirmations(session_id, user_id)
  yield* interruptWaiting(book, session_id, options)
  return 'withdrawn'
}

/**
 * [W10.11] A stop that names the message which waits for the compaction takes that back, and the compaction goes on. One
 * that names the session ends both: nothing begins after a stop.
 */
function* stopQuiet(
  { session, gate, run_id }: { session: SessionRow; gate: LockedGate; run_id: string | undefined },
  options: StopOptions,
): Work<{ run_id: string } | 'withdrawn' | 'nothing'> {
  const queued = yield* findQueued(session.id, run_id === undefined ? 'any' : { run_id })
  if (queued) yield* endQueued(queued, { session, gate, error: null }, options)
  // Files that are half put back would be nobody's.
  const mayStop = gate.run_id!.startsWith(`${COMPACT_RUN}_`)
  if (!mayStop || (run_id !== undefined && run_id !== gate.run_id)) return queued ? 'withdrawn' : 'nothing'
  yield* requestStop(session.id)
  return { run_id: gate.run_id! }
}
