import { isAgentError } from '@parley/protocol'
import type { Principal } from '../../auth/principal.ts'
import type { FeedSource } from '../../feed/feed.ts'
import type { Accepted, Sessions } from '../../sessions/service.ts'
import { Refusal } from './refusal.ts'
import type { StreamRequest } from './stream-request.ts'
import { sendAfterWindDown } from './wind-down.ts'

export type InputOptions = {
  principal: Principal
  sessions: Sessions
  source: FeedSource
  /** Whoever asks has left. */
  signal: AbortSignal
}

/** [O2] The checks in their order; an input that fails one leaves no trace. */
export async function acceptInput(asked: StreamRequest, options: InputOptions): Promise<Accepted> {
  if (asked.model_config_id != null) throw new Refusal(404, '配置不存在')
  const { session_id: given } = asked
  const { principal, sessions } = options
  if (given != null) {
    await demandSession(given, options)
    return send(given, asked, options)
  }
  const { id: session_id } = await sessions.create(principal, {})
  try {
    return await send(session_id, asked, options)
  } catch (error) {
    await sessions.delete(principal, session_id)
    throw error
  }
}

async function demandSession(id: string, { principal, sessions }: InputOptions): Promise<void> {
  const notFound = new Refusal(404, `Session not found: ${id}`)
  // No id has one, and PostgreSQL refuses to even look.
  if (id.includes('\0')) throw notFound
  try {
    await sessions.get(principal, id)
  } catch (error) {
    throw isAgentError(error, 'session_not_found') ? notFound : error
  }
}

async function send(session_id: string, { user_input }: StreamRequest, options: InputOptions): Promise<Accepted> {
  const { principal, sessions, source, signal } = options
  try {
    return await sendAfterWindDown({
      session_id,
      source,
      signal,
      send: () => sessions.send(principal, { ...COMMAND, session_id, message: user_input }),
      isEnding: (run_id) => sessions.isEnding(principal, session_id, run_id),
    })
  } catch (error) {
    if (isAgentError(error, 'session_busy')) throw new Refusal(409, `Session is busy: ${session_id}`)
    if (isAgentError(error, 'session_not_found')) throw new Refusal(404, `Session not found: ${session_id}`)
    throw error
  }
}

/** What this protocol has no words for. */
const COMMAND = {
  mode: null,
  askuser_answer: null,
  model: null,
  headless: false,
  output_schema: null,
  whatif: null,
  replay_decision: null,
  plan_decision: null,
  runtime_env: null,
  client_message_id: null,
}
