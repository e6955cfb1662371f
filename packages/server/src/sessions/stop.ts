import { withdrawConfirmations } from '../confirm/confirmations.ts'
import { type BookPorts, openBook } from '../runs/open-book.ts'
import type { Runs } from '../runs/runs.ts'
import { closeWaiting, interruptWaiting } from '../runs/waiting.ts'
import { findGate, lockGate, requestStop } from '../store/gate.ts'
import type { Journal } from '../store/journal.ts'
import { findWaitingRun } from '../store/run-rows.ts'
import { demandSession } from '../store/session-record.ts'
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
      return gate?.run_id !== run_id || gate.stop_requested === 1
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
