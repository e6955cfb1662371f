import type { Session } from '@parley/protocol'
import { chatSendSchema } from '@parley/protocol/schemas'
import type { Principal } from '../../auth/principal.ts'
import type { Sessions } from '../../sessions/service.ts'
import type { ChatRequest } from './decode-request.ts'
import { newId } from './new-id.ts'

/** A run, as a client knows it, and where it begins. */
export type Started = { sessionId: string; messageId: string; session_id: string; run_id: string; since: number }

export type SendOptions = { sessions: Sessions; maxIterations: number }

/** Stores a message and has it answered, once: the same id again is the same run. */
export async function sendMessage(
  principal: Principal,
  request: ChatRequest,
  { sessions, maxIterations }: SendOptions,
): Promise<Started> {
  const { sessionId = newId('session'), messageId = newId('msg'), message } = request
  const { id: session_id } = await openSession(principal, sessionId, sessions)
  const known = await sessions.findRun(principal, session_id, { client_message_id: messageId })
  const named = { sessionId, messageId, session_id }
  if (known) return { ...named, run_id: known.run_id, since: known.since }
  const command = chatSendSchema.parse({ session_id, message, client_message_id: messageId })
  const { run_id, since } = await sessions.send(principal, command, { max_turns: maxIterations, asks: false })
  return { ...named, run_id, since }
}

/** [F1.3.1] A session's own id names that session; any other name is the client's, and its first use makes one. */
function openSession(principal: Principal, sessionId: string, sessions: Sessions): Promise<Session> {
  if (sessionId.startsWith('sess_')) return sessions.get(principal, sessionId)
  return sessions.create(principal, {}, { kind: 'sse', id: sessionId })
}
