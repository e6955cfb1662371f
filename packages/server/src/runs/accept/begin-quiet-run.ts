import type { Mode } from '@parley/protocol'
import { beginRun, type LockedGate } from '../../store/gate.ts'
import type { RunNeeds, RunOptions } from '../../store/run-options.ts'
import { insertRun } from '../../store/run-rows.ts'
import type { SessionRow } from '../../store/session-record.ts'
import type { Work } from '../../store/work.ts'
import { type Acceptance, type AcceptOptions, busy } from './request.ts'

type QuietRun = {
  session: SessionRow
  gate: LockedGate
  run_id: string
  user_id: string
  kind: Pick<RunOptions, 'kind' | 'restore'>
  needs: RunNeeds
}

/** A run that talks to nobody. Nothing is told, and the session's status stays what it was. */
export function* beginQuietRun(
  { session, gate, run_id, user_id, kind, needs }: QuietRun,
  { owner, leaseMs }: Pick<AcceptOptions, 'owner' | 'leaseMs'>,
): Work<Acceptance> {
  const lease = yield* beginRun({ session_id: session.id, run_id }, owner, leaseMs)
  if (!lease) throw busy(session.id, gate.run_id)
  yield* insertRun({
    id: run_id,
    session_id: session.id,
    principal: user_id,
    client_message_id: null,
    body_digest: null,
    options: { ...kind, model: needs.model, mode: session.mode as Mode, headless: true, output_schema: null },
    needs,
    first_seq: gate.head + gate.skip + 1,
    secrets: null,
  })
  return { run_id, since: gate.head, lease: { ...lease, untold: 'accepted' } }
}
