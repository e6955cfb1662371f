import { createHash } from 'node:crypto'
import { AgentError } from '@parley/protocol'
import type { ChatSend } from '@parley/protocol/wire'
import { hasCommand } from '../../store/commands.ts'
import { findGate } from '../../store/gate.ts'
import { findOwnRun, findStarted, isQuietRun } from '../../store/run-rows.ts'
import type { Work } from '../../store/work.ts'
import { findStoredAnswer } from './answer-command.ts'
import { findQueued } from './queued-send.ts'
import type { Acceptance, Request } from './request.ts'

// Whatever is sent twice happens once. A sender that repeats itself is known by its `client_message_id`: of a message it
// lies on the run that it started, of an answer to a run under way in its command, of an addition it is the command's id.
// A writer that does not know how its own commit ended knows what it wrote by an id that nobody else uses.

/** Tells a repeated message from another one with the same id. */
export function bodyDigest(command: ChatSend): string {
  const { message, askuser_answer, mode, model, headless, output_schema } = command
  const { plan_decision, skip_knowledge, whatif } = command
  // Only where it is said: bodies of older servers have the same digest.
  const decided = {
    ...(plan_decision && { plan_decision }),
    ...(skip_knowledge && { skip_knowledge }),
    ...(whatif && { whatif }),
  }
  return createHash('sha256')
    .update(JSON.stringify({ message, askuser_answer, mode, model, headless, output_schema, ...decided }))
    .digest('hex')
}

/** The same id with the same body is the same message, also while its run is active. */
export function* findRepeated({
  session_id,
  user_id: principal,
  client_message_id,
  digest,
}: Pick<Request, 'session_id' | 'user_id' | 'client_message_id' | 'digest'>): Work<Acceptance | undefined> {
  if (client_message_id === null) return undefined
  const started = yield* findStarted({ session_id, principal, client_message_id })
  const known = started
    ? { run_id: started.id, since: started.first_seq - 1, digest: started.body_digest }
    : // An answer that a run under way has taken started no run of its own, and a message that waits has not yet.
      ((yield* findStoredAnswer(session_id, client_message_id)) ??
      (yield* findQueued(session_id, { client_message_id })))
  if (!known) return undefined
  if (known.digest !== digest)
    throw new AgentError(
      'invalid_payload',
      `client_message_id ${client_message_id} was used for another message in this session.`,
    )
  const { run_id, since } = known
  if ('sealed' in known) return { run_id, since, queued: true }
  return { run_id, since, ...(!started && { joins: true as const }) }
}

/** After a commit whose outcome is unknown. */
export function* findAccepted(
  { session_id, run_id }: { session_id: string; run_id: string },
  owner: string,
): Work<Acceptance | undefined> {
  const found = yield* findOwnRun(run_id, owner)
  if (!found) {
    const queued = yield* findQueued(session_id, { run_id })
    return queued && { run_id, since: queued.since, queued: true }
  }
  return { run_id, since: found.first_seq - 1, ...(found.lease && { lease: found.lease }) }
}

/** The same addition again is accepted again, also when its run is over; a new one needs a run. */
export function* isNewAppend(session_id: string, id: string): Work<boolean> {
  if (yield* hasCommand(session_id, id)) return false
  const gate = yield* findGate(session_id)
  if ((gate?.run_id ?? null) === null || isQuietRun(gate!.run_id))
    throw new AgentError('not_running', `Session ${session_id} is not running; use chat:send.`)
  return true
}
