import { AgentError, ROOT_LOOP } from '@parley/protocol'
import type { Meter } from '../context/compaction/meter.ts'
import { planCompaction } from '../context/compaction/plan.ts'
import { roomFor } from '../context/compaction/room.ts'
import { ofLoop } from '../context/stored-turns.ts'
import { acceptCompact } from '../runs/accept/accept-compact.ts'
import { findAccepted } from '../runs/accept/idempotency.ts'
import { busy } from '../runs/accept/request.ts'
import { findGate } from '../store/gate.ts'
import type { Journal } from '../store/journal.ts'
import { COMPACT_RUN } from '../store/run-rows.ts'
import { demandSession } from '../store/session-record.ts'
import type { AcceptingOptions } from './accepting.ts'
import { readContext } from './read-context.ts'
import { modelFor, type ModelChoice } from './send.ts'
import type { Sessions } from './service.ts'

export type CompactOptions = AcceptingOptions & ModelChoice & { meter: Meter; journal: Journal }

/** [W5.5] Starts a run that only makes room, where there is something to gain. */
export function compactSession(options: CompactOptions): Sessions['compact'] {
  const { engine, ids, runs, owner } = options
  return async ({ user_id }, session_id) => {
    const session = await engine.read(() => demandSession(engine, user_id, session_id))
    const active = (await engine.read(() => findGate(session_id)))?.run_id ?? null
    if (active !== null) throw busy(session_id, active)
    const model = await modelFor(session, null, options)
    await demandGain(session_id, model, options)
    const run_id = ids.next(COMPACT_RUN)
    const sentAt = runs.now()
    const request = { session_id, user_id, run_id, model }
    const { since, lease } = await engine.write(() => acceptCompact(request, options), {
      confirm: () => findAccepted({ session_id, run_id }, owner),
    })
    if (lease) runs.begin(lease, sentAt, true)
    return { session_id, run_id, since }
  }
}

/** Before anything is stored: a conversation that has just begun, or was just compacted, stays as it is. */
async function demandGain(session_id: string, model: string, options: CompactOptions): Promise<void> {
  const { meter } = options
  const turns = ofLoop(await readContext(options, session_id), ROOT_LOOP)
  const { keepTokens } = roomFor(await meter.windowOf(model))
  const plan = await planCompaction(turns, { trigger: 'manual', keepTokens, counter: meter.counter })
  if (!plan || plan.archived.length === 0)
    throw new AgentError('compaction_not_needed', `Session ${session_id} has nothing to compact.`)
}
