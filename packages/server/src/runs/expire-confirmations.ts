import type { ConfirmationRow } from '../confirm/confirmations.ts'
import { type ExpireCommand, writeExpiry } from '../confirm/decision.ts'
import { expireConfirmations } from '../confirm/expire.ts'
import { storeCommand } from '../store/commands.ts'
import type { LockedGate } from '../store/gate.ts'
import type { Journal } from '../store/journal.ts'
import { findWaitingRun } from '../store/run-rows.ts'
import { findSession } from '../store/session-record.ts'
import type { Work } from '../store/work.ts'
import { type BookPorts, openBook } from './open-book.ts'
import { closeWaiting, interruptWaiting, isAsking, storeNotices, tellAbove } from './waiting.ts'

type ExpiryOptions = BookPorts & {
  journal: Journal
  /** A run that is under way has something to apply. */
  tellOwner: (session_id: string) => void
}

const SWEEP_MS = 1_000

/** Ends confirmations whose time is over, with nobody connected. Every instance sweeps; each is ended once. */
export function startExpiry(options: ExpiryOptions, onError: (error: unknown) => void): Disposable {
  return options.engine.timers.every(SWEEP_MS, () => void expireDue(options).catch(onError))
}

export function expireDue(options: ExpiryOptions): Promise<number> {
  const { engine, tellOwner } = options
  return expireConfirmations({ engine, tellOwner, reach: (expired, gate) => reachCall(expired, gate, options) })
}

/** A run that is under way gets it as a command, like an answer; of one that waits, whatever waited with it is closed. */
function* reachCall(expired: ConfirmationRow, gate: LockedGate, options: ExpiryOptions): Work<boolean> {
  const { id, session_id, question_id, tool_call_id, turn_id } = expired
  const data: ExpireCommand = { question_id: question_id!, tool_call_id }
  if (gate.run_id !== null) {
    yield* storeCommand({ session_id, id: `expire:${id}`, kind: 'expire', data: JSON.stringify(data) })
    return true
  }
  const session = yield* findSession(options.engine, session_id)
  const waiting = yield* findWaitingRun(session_id)
  if (!session || !waiting) return false
  const book = yield* openBook(session, { run_id: waiting.id }, options)
  if (book.has(turn_id)) writeExpiry(book, turn_id, data)
  if (!isAsking(book)) {
    closeWaiting(book, 'expired')
    yield* interruptWaiting(book, session_id, options)
    return false
  }
  // As long as something else waits for an answer, the run waits for that.
  if (book.has(turn_id)) tellAbove(book, book.turn(turn_id))
  yield* storeNotices(book, session_id, options.journal)
  return false
}
