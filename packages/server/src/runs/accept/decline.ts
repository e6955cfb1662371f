import type { ChatEndPayload, ContentBlock, SessionStatus } from '@parley/protocol'
import { withdrawConfirmations } from '../../confirm/confirmations.ts'
import { appendEvents } from '../../store/append.ts'
import { beginRun, endRun, type LockedGate } from '../../store/gate.ts'
import type { RunOptions } from '../../store/run-options.ts'
import { endWaitingRun, insertRun, storeOutcome, type WaitingRun } from '../../store/run-rows.ts'
import type { SessionRow } from '../../store/session-record.ts'
import { setSessionStatus } from '../../store/session-rows.ts'
import type { Work } from '../../store/work.ts'
import type { Language } from '../../words/language.ts'
import { say } from '../../words/phrases.ts'
import { runOwner } from '../run-owner.ts'
import type { TurnBook } from '../turn-book.ts'
import { closeWaiting } from '../waiting.ts'
import { type Acceptance, type AcceptOptions, busy, type Request } from './request.ts'
import { userTurn } from './user-message.ts'

type Decline = {
  request: Request & { message: string | null }
  session: SessionRow
  gate: LockedGate
  book: TurnBook
  why: 'rejected' | 'expired'
  /** The run that waited until now; one whose confirmation has expired waits no more. */
  waiting: WaitingRun | undefined
  asks: RunOptions
}

export type DeclineOptions = AcceptOptions & { language: Language }

/**
 * A run that is over as soon as it is stored: what waited is closed, and the conversation is told that nothing was done.
 * No model is asked, so nobody need drive it.
 */
export function* declineRun(decline: Decline, options: DeclineOptions): Work<Acceptance> {
  const { request, session, gate, book, why, waiting, asks } = decline
  const { run_id, user_id, client_message_id, digest, model, message } = request
  const lease = yield* beginRun({ session_id: session.id, run_id }, options.owner, options.leaseMs)
  if (!lease) throw busy(session.id, gate.run_id)
  const status = 'completed' satisfies SessionStatus
  const updated_at = new Date(options.clock.now()).toISOString()
  const { language } = options
  book.notify('chat:start', { run_id })
  book.hidden('run:owner', runOwner(lease, options.owner, 'accepted'))
  book.hidden('run:declined', { why })
  closeWaiting(book, why)
  book.addTurn(userTurn(message ?? say('consent.reject', language), client_message_id))
  book.addTurn({ role: 'assistant', blocks: [textBlock(say(`consent.${why}`, language))] })
  const end = endOf(run_id)
  book.notify('chat:end', end)
  book.notify('session:updated', { status, updated_at })
  yield* withdrawConfirmations(session.id, user_id)
  if (waiting) yield* endWaitingRun(waiting.id)
  yield* insertRun({
    ...{ id: run_id, session_id: session.id, principal: user_id, client_message_id, options: asks, needs: { model } },
    body_digest: client_message_id === null ? null : digest,
    first_seq: gate.head + gate.skip + 1,
    secrets: null,
    continues: waiting?.id ?? null,
  })
  const { events, turns } = book.take()
  yield* appendEvents({ session_id: session.id, epoch: lease.epoch, events, turns, batch: run_id })
  yield* setSessionStatus(session.id, status, updated_at)
  yield* storeOutcome(run_id, 'ended', end)
  yield* endRun(lease)
  return { run_id, since: gate.head }
}

function endOf(run_id: string): Omit<ChatEndPayload, 'session_id' | 'event_seq'> {
  return {
    ...{ status: 'completed', finish_reason: 'completed', session_status: 'completed', run_id },
    ...{ result: null, pause_tool: null, pause_tool_data: null, error: null, usage: null },
  }
}

function textBlock(content: string): ContentBlock {
  return { type: 'text', content, tool_call_id: null, tool_name: null, display_name: null }
}
