import { type AskUserAnswer, isAgentError, type Mode } from '@parley/protocol'
import { type ConfirmationRow, findConfirmation } from '../../confirm/confirmations.ts'
import { decideAsked } from '../../confirm/decide.ts'
import { lockGate } from '../../store/gate.ts'
import type { RunOptions } from '../../store/run-options.ts'
import { findWaitingRun } from '../../store/run-rows.ts'
import { demandSession, type SessionRow } from '../../store/session-record.ts'
import type { Work } from '../../store/work.ts'
import { needsOfOthers } from '../carry-on.ts'
import { type BookPorts, openBookOfQuestions } from '../open-book.ts'
import { storeAnswer } from './answer-command.ts'
import { checkAnswer, writeAnswer } from './answers.ts'
import { findRepeated } from './idempotency.ts'
import { declineRun, type DeclineOptions } from './decline.ts'
import type { Acceptance, AnswerRequest } from './request.ts'
import { startRun } from './start-run.ts'
import { optionsAfter, tellTerms } from './terms.ts'

/**
 * C8: an answer, and the decision that it is where the question asked for consent, on the one road that both take to their
 * call. A run that is under way gets them as a command; else they are written down here, and a run of their own goes on
 * where the one that asked has paused.
 */
export function* acceptAnswer(request: AnswerRequest, options: DeclineOptions): Work<Acceptance> {
  const { user_id, run_id, model, message, client_message_id, headless } = request
  const session = yield* demandSession(options.engine, user_id, request.session_id)
  const gate = yield* lockGate(session.id)
  // Only now: the same answer, sent twice at once, waits here for its twin.
  const repeated = yield* findRepeated(request)
  if (repeated) return repeated
  const its = { run_id, contextWindow: options.contextWindow(model) }
  const book = yield* openBookOfQuestions(session, its, options)
  const checked = checkAnswer(book, request.answer)
  const decision = yield* decideAsked(checked, session.id, request)
  const answered = decision ? { ...checked, decision } : checked
  if (gate.run_id !== null)
    return yield* storeAnswer(answered, request, { active_run_id: gate.run_id, since: gate.head })

  const waiting = yield* findWaitingRun(session.id)
  const elsewhere = waiting && (yield* needsOfOthers(waiting, model, options))
  const mode = session.mode as Mode
  const resumed = waiting && (yield* optionsAfter(waiting, session.id))
  if (decision && !decision.isApproved && request.terms?.refusal_ends)
    return yield* declineRun(
      { request, session, gate, book, why: 'rejected', waiting, asks: { model, mode, headless, output_schema: null } },
      options,
    )
  book.notify('chat:start', { run_id })
  tellTerms(book, resumed)
  writeAnswer(book, answered, { message, client_message_id, now: options.clock.now() })
  return yield* startRun(
    {
      ...{ request, session, gate, book, mode, waiting, elsewhere, goesOn: true },
      asks: resumed
        ? { ...resumed, model }
        : { model, mode, headless, output_schema: request.output_schema as RunOptions['output_schema'] },
      ...(resumed && { secrets: waiting.secrets }),
    },
    options,
  )
}

/** The consent that an answer is about to give, so that what it changes can be looked at before it is given. */
export function* askedBy(
  answer: AskUserAnswer,
  session: SessionRow,
  ports: BookPorts,
): Work<ConfirmationRow | undefined> {
  const book = yield* openBookOfQuestions(session, { run_id: '' }, ports)
  try {
    return yield* findConfirmation(session.id, checkAnswer(book, answer).call.id)
  } catch (error) {
    // Whatever is wrong with the answer is said when it is accepted.
    if (isAgentError(error)) return undefined
    throw error
  }
}
