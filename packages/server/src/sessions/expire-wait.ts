import { withdrawConfirmations } from '../confirm/confirmations.ts'
import { type BookPorts, openBook } from '../runs/open-book.ts'
import { closeWaiting, interruptWaiting } from '../runs/waiting.ts'
import { holdGate } from '../store/gate.ts'
import type { Journal } from '../store/journal.ts'
import { findWaitingRun } from '../store/run-rows.ts'
import { findSession } from '../store/session-record.ts'
import type { Sessions } from './service.ts'

/** Like a stop of what waits, with another reason. */
export function expireWait(options: BookPorts & { journal: Journal }): Sessions['expireWait'] {
  return function* (session_id) {
    const gate = yield* holdGate(session_id)
    if (gate?.run_id !== null) return false
    const session = yield* findSession(options.engine, session_id)
    const waiting = yield* findWaitingRun(session_id)
    if (!session || !waiting) return false
    const book = yield* openBook(session, { run_id: waiting.id }, options)
    closeWaiting(book, 'expired')
    yield* withdrawConfirmations(session_id, session.user_id)
    yield* interruptWaiting(book, session_id, options)
    return true
  }
}
