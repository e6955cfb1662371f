import { AgentError, type Mode } from '@parley/protocol'
import { confirmationOf, expireConfirmation } from '../../confirm/confirmations.ts'
import { lockGate } from '../../store/gate.ts'
import { findWaitingRun, lastRun } from '../../store/run-rows.ts'
import { demandSession } from '../../store/session-record.ts'
import type { Work } from '../../store/work.ts'
import { openBook } from '../open-book.ts'
import { declineRun, type DeclineOptions } from './decline.ts'
import { findRepeated } from './idempotency.ts'
import { type Acceptance, busy, type Request } from './request.ts'

export type ExpiredRequest = Request & { message: string | null; confirmation_id: string }

/** An answer that comes too late, to the last thing that was asked: nothing runs, and the conversation is told so. */
export function* acceptExpired(request: ExpiredRequest, options: DeclineOptions): Work<Acceptance> {
  const { user_id, run_id, model, confirmation_id } = request
  const session = yield* demandSession(options.engine, user_id, request.session_id)
  const gate = yield* lockGate(session.id)
  const repeated = yield* findRepeated(request)
  if (repeated) return repeated
  if (gate.run_id !== null) throw busy(session.id, gate.run_id)
  const asked = yield* confirmationOf(user_id, confirmation_id)
  const expired = asked?.status === 'pending' ? yield* expireConfirmation(asked.id) : asked
  const isLast = expired?.session_id === session.id && (yield* lastRun(session.id)) === expired.run_id
  if (!isLast || expired.status !== 'expired')
    throw new AgentError('ask_not_pending', 'Nothing waits for consent here (any more).', {
      details: { confirmation_id },
    })
  const waiting = yield* findWaitingRun(session.id)
  const book = yield* openBook(session, { run_id, contextWindow: options.contextWindow(model) }, options)
  const asks = { model, mode: session.mode as Mode, headless: false, output_schema: null }
  return yield* declineRun({ request, session, gate, book, why: 'expired', waiting, asks }, options)
}
