import { isDeepStrictEqual } from 'node:util'
import { AgentError, isAgentError, type Session } from '@parley/protocol'
import { chatSendSchema } from '@parley/protocol/schemas'
import type { Principal } from '../../auth/principal.ts'
import { decidingAnswer } from '../../confirm/ask.ts'
import type { Accepted, Sessions } from '../../sessions/service.ts'
import { isConsent } from './consent.ts'
import type { ChatRequest } from './decode-request.ts'
import { earlierMessages } from './earlier-messages.ts'
import { newId } from './new-id.ts'
import { findSession, openSession } from './open-session.ts'
import { Refusal } from './refusal.ts'
import { RECENT_TURNS, type Waiting, waitingIn } from './waiting.ts'

/** A run, as a client knows it, and where it begins. */
export type Started = {
  sessionId: string
  messageId: string
  session_id: string
  run_id: string
  since: number
  /** The last event that was there before the client asked. */
  head: number
  isPruned: boolean
}

export type SendOptions = { sessions: Sessions; maxIterations: number; maxDuration: number }

/** Stores a message or an answer and has it run, once: the same id again is the same run. */
export async function sendMessage(principal: Principal, request: ChatRequest, options: SendOptions): Promise<Started> {
  const { sessions } = options
  const { sessionId = newId('session'), messageId = newId('msg') } = request
  const isAnswer = request.confirm !== undefined || request.pendingConfirmation !== undefined
  const session = isAnswer
    ? await findSession(principal, sessionId, sessions)
    : await openSession(principal, sessionId, sessions)
  if (!session) throw nothingPending()
  const { id: session_id, last_event_seq: head } = session
  const client_message_id = messageId
  const known = await sessions.findRun(principal, session_id, { client_message_id })
  if (known) return { sessionId, messageId, session_id, head, ...known }
  const message = { ...request, messageId, principal, session }
  const accepted = isAnswer ? await answer(message, options) : await send(message, options)
  // An answer that a run under way has taken is told by that run, from its beginning.
  const joined = accepted.joins && (await sessions.findRun(principal, session_id, 'last'))
  return { sessionId, messageId, session_id, head, isPruned: false, ...(joined || accepted) }
}

/** [S10.6] Whoever was told of a message has sent it: what is refused for the place that it names must not be stored. */
export async function demandSent(
  principal: Principal,
  { sessionId, messageId }: ChatRequest,
  sessions: Sessions,
): Promise<void> {
  const session = sessionId === undefined ? undefined : await findSession(principal, sessionId, sessions)
  const isSent =
    session && messageId && (await sessions.findRun(principal, session.id, { client_message_id: messageId }))
  if (!isSent) throw new AgentError('invalid_payload', 'Last-Event-ID: That message was not sent yet.')
}

type Message = ChatRequest & { messageId: string; principal: Principal; session: Session }

function send(given: Message, options: SendOptions): Promise<Accepted> {
  const { principal, session, message, messageId, history, skipKnowledge: skip_knowledge } = given
  const { sessions, maxIterations, maxDuration } = options
  const sent = { session_id: session.id, message, client_message_id: messageId, skip_knowledge }
  const command = chatSendSchema.parse(sent)
  return sessions.send(principal, command, {
    ...{ max_turns: maxIterations, max_ms: maxDuration, asks: false },
    ...(history && { history: earlierMessages(history) }),
  })
}

/** [S8.3] [S8.5.3] */
async function answer(given: Message, options: SendOptions): Promise<Accepted> {
  const { sessions } = options
  const { principal, session, confirm, message, messageId: client_message_id } = given
  const { id: session_id } = session
  if (session.status === 'running')
    throw new AgentError('session_busy', 'Another run is active in this session.', { details: { session_id } })
  const waiting = waitingIn(await sessions.messages(principal, session_id, { limit: RECENT_TURNS }))
  if (!waiting) throw nothingPending()
  demandSame(given, waiting)
  // [D5] A word is consent only where it can mean but one thing.
  if (!confirm && !waiting.isOnly && isConsent(message)) return send(given, options)
  const late = { session_id, confirmation_id: waiting.card.id, message, client_message_id }
  if (waiting.isExpired) return sessions.answerExpired(principal, late)
  const decision = (confirm ? confirm.approved : isConsent(message)) ? 'approve' : 'reject'
  const askuser_answer = decidingAnswer(waiting.question_id, { decision })
  const command = chatSendSchema.parse({ session_id, message, askuser_answer, client_message_id })
  try {
    return await sessions.send(principal, command, { refusal_ends: true })
  } catch (error) {
    if (isAgentError(error, 'already_decided') && error.details?.['decision'] === 'expired')
      return sessions.answerExpired(principal, late)
    throw error
  }
}

/** [S2.0.4] What the client believes to be asked must be what is asked. */
function demandSame({ confirm, pendingConfirmation: pending }: Message, { card }: Waiting): void {
  const isSame =
    (!confirm || confirm.confirmationId === card.id) &&
    (!pending ||
      (pending.toolName === card.tool_name &&
        isDeepStrictEqual(pending.arguments, card.arguments) &&
        (pending.confirmationId ?? card.id) === card.id))
  if (!isSame) throw new Refusal('CONFIRMATION_MISMATCH', 'Something else waits for consent here.')
}

function nothingPending(): AgentError {
  return new AgentError('ask_not_pending', 'Nothing waits for consent here (any more).')
}
