import { AgentError } from '@parley/protocol'
import { lockGate } from '../../store/gate.ts'
import { findWaitingRun } from '../../store/run-rows.ts'
import { demandSession } from '../../store/session-record.ts'
import type { Work } from '../../store/work.ts'
import { beginQuietRun } from './begin-quiet-run.ts'
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
  const needs = { model, tools: options.ownTools(), ...agentOf(session) }
  return yield* beginQuietRun({ session, gate, run_id, user_id, kind: { kind: 'compact' }, needs }, options)
}

function waits(session_id: string, run_id: string): AgentError {
  return new AgentError('session_busy', `Session ${session_id} waits for an answer. Answer first, or send chat:stop.`, {
    details: { session_id, run_id },
  })
}
