import { AgentError, type MessageContent, type Mode, type TurnProjection } from '@parley/protocol'
import { isEmptyMessage } from '@parley/protocol/wire'
import { withdrawConfirmations } from '../../confirm/confirmations.ts'
import type { UserPart } from '../../ports.ts'
import { lockGate } from '../../store/gate.ts'
import type { RunOptions } from '../../store/run-options.ts'
import { findWaitingRun, isQuietRun } from '../../store/run-rows.ts'
import { indexDocument } from '../../store/search-index.ts'
import { demandSession } from '../../store/session-record.ts'
import type { Work } from '../../store/work.ts'
import { openBook } from '../open-book.ts'
import { tellBranch } from '../tell-branch.ts'
import type { TurnBook } from '../turn-book.ts'
import { closeWaiting } from '../waiting.ts'
import { findRepeated } from './idempotency.ts'
import { importHistory } from './import-history.ts'
import { writeModeChange } from './mode-change.ts'
import { busyCompacting, queueMessage } from './queued-send.ts'
import { type Acceptance, type AcceptOptions, busy, type MessageRequest } from './request.ts'
import { startRun } from './start-run.ts'
import { tellTerms } from './terms.ts'
import { keepRecalled, withRecalled } from './recalled.ts'
import { plainText, userTurn } from './user-message.ts'
import { branchFor, quoteParts } from './what-if.ts'

/**
 * C1: the message, its run and everything they imply, in one transaction; what waited for a person is withdrawn by it.
 * Checks come first, in the order of wire-protocol 5.3; a failed one leaves no trace.
 */
export function* acceptMessage(request: MessageRequest, options: AcceptOptions): Work<Acceptance> {
  const { user_id, run_id, model, message, plan_decision, headless, terms } = request
  const { engine } = options
  const session = yield* demandSession(engine, user_id, request.session_id)
  const gate = yield* lockGate(session.id)
  // Only now: the same message, sent twice at once, waits here for its twin.
  const repeated = yield* findRepeated(request)
  if (repeated) return repeated
  if (gate.run_id !== null && !isQuietRun(gate.run_id)) throw busy(session.id, gate.run_id)
  if (isEmptyMessage(message as MessageContent)) throw new AgentError('invalid_payload', 'The message is empty.')
  const place = { session_id: session.id, turn_id: options.ids.next('turn') }
  const kept = request.kept ?? (yield* keepRecalled(request.recalled ?? [], place))
  if (gate.run_id !== null) {
    if (request.whatif) throw busyCompacting(session.id, gate.run_id)
    const queued = yield* queueMessage({ ...request, kept }, gate.head, options.seal)
    if (!queued) throw busyCompacting(session.id, gate.run_id)
    return queued
  }

  const book = yield* openBook(session, { run_id, contextWindow: options.contextWindow(model) }, options)
  const from = session.mode as Mode
  const mode = request.mode ?? from
  if (request.history) importHistory(book, request.history, options.ids)
  book.notify('chat:start', { run_id })
  tellTerms(book, terms)
  closeWaiting(book, 'withdrawn')
  yield* withdrawConfirmations(session.id, user_id)
  const quotes = yield* leadElsewhere(request, book, options)
  yield* writeModeChange(book, { session_id: session.id, from, to: mode, plan_decision, plans: options.plans })
  const { turn_id } = kept
  book.addTurn(
    { ...userTurn(message, request.client_message_id), ...kept.turn, ...quotes.turn, turn_id },
    withRecalled(message, [...quotes.parts, ...kept.parts]),
  )
  for (const { name, payload } of kept.notices) book.notify(name, payload)
  yield* indexDocument(engine, {
    user_id,
    kind: 'session',
    parent_id: session.id,
    ref: turn_id,
    text: plainText(message),
  })
  return yield* startRun(
    {
      ...{ request, session, gate, book, mode },
      waiting: yield* findWaitingRun(session.id),
      asks: { model, mode, headless, output_schema: request.output_schema as RunOptions['output_schema'], ...terms },
    },
    options,
  )
}

/** [W12.1] A what-if takes the conversation back first; what it cites goes with its message. */
function* leadElsewhere(
  { session_id, whatif }: MessageRequest,
  book: TurnBook,
  { clock, ids }: AcceptOptions,
): Work<{ parts: UserPart[]; turn: Partial<Pick<TurnProjection, 'quotes'>> }> {
  if (!whatif) return { parts: [], turn: {} }
  const place = { session_id, next: book.nextSequence, branch_id: ids.next('branch') }
  const branch = yield* branchFor(place, whatif)
  if (branch) yield* tellBranch(book, session_id, { branch, updated_at: new Date(clock.now()).toISOString() })
  return { parts: quoteParts(whatif), turn: whatif.quotes.length > 0 ? { quotes: whatif.quotes } : {} }
}
