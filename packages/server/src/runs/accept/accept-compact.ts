import { AgentError, type Mode } from '@parley/protocol'
import { beginRun, lockGate } from '../../store/gate.ts'
import { findWaitingRun, insertRun } from '../../store/run-rows.ts'
import { demandSession } from '../../store/session-record.ts'
import type { Work } from '../../store/work.ts'
import { type Acceptance, type AcceptOptions, busy } from './request.ts'
import { agentOf } from './start-run.ts'

export type CompactRequest = { session_id: string; user_id: string; run_id: string; model: string }

/** A run that only makes room. Nothing is told, and the session's status stays what it was. */
export function* acceptCompact(request: CompactRequest, options: AcceptOptions): Work<Acceptance> {
  const { user_id, run_id, model } = request
  const session = yield* demandSession(options.engine, user_id, request.session_id)
  const gate = yield* lockGate(session.id)
  if (gate.run_id !== null) throw busy(session.id, gate.run_id)
  const waiting = yield* findWaitingRun(session.id)
  if (waiting) throw waits(session.id, waiting.id)
  const lease = yield* beginRun({ session_id: session.id, run_id }, options.owner, options.leaseMs)
  if (!lease) throw busy(session.id, gate.run_id)
  yield* insertRun({
    id: run_id,
    session_id: session.id,
    principal: user_id,
    client_message_id: null,
    body_digest: null,
    options: { kind: 'compact', model, mode: session.mode as Mode, headless: true, output_schema: null },
    needs: { model, tools: options.ownTools(), ...agentOf(session) },
    first_seq: gate.head + gate.skip + 1,
    secrets: null,
  })
  return { run_id, since: gate.head, lease }
}

function waits(session_id: string, run_id: string): AgentError {
  return new AgentError('session_busy', `Session ${session_id} waits for an answer. Answer first, or send chat:stop.`, {
    details: { session_id, run_id },
  })
}
