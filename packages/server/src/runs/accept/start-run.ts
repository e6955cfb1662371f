import { type Mode, ROOT_LOOP } from '@parley/protocol'
import { appendEvents } from '../../store/append.ts'
import { beginRun, type LockedGate } from '../../store/gate.ts'
import { keepPastSecrets } from '../../store/past-secrets.ts'
import type { RunNeeds, RunOptions } from '../../store/run-options.ts'
import { endWaitingRun, giveBack, insertRun, type WaitingRun } from '../../store/run-rows.ts'
import type { SessionRow } from '../../store/session-record.ts'
import { setSessionRunning } from '../../store/session-rows.ts'
import type { Work } from '../../store/work.ts'
import { runOwner } from '../run-owner.ts'
import type { TurnBook } from '../turn-book.ts'
import { type Acceptance, type AcceptOptions, busy, type Request } from './request.ts'

type Start = {
  request: Request
  session: SessionRow
  gate: LockedGate
  /** Tells `chat:start`, and what the run was started by. */
  book: TurnBook
  mode: Mode
  asks: RunOptions
  /** The run that waited until now. */
  waiting: WaitingRun | undefined
  /** This one was started by what it had waited for, and goes on in its turn. */
  goesOn?: boolean
  /** Of the run that waited, where this one goes on with them. */
  secrets?: string | null
  /** What the run needs, and another instance has. */
  elsewhere?: RunNeeds | undefined
}

/** What every run begins with, in the transaction that accepts what it was started by. */
export function* startRun(start: Start, options: AcceptOptions): Work<Acceptance> {
  const { request, session, gate, book, mode, asks, waiting, elsewhere } = start
  const { run_id, user_id, model, client_message_id, digest, runtime_env } = request
  const lease = yield* beginRun({ session_id: session.id, run_id }, options.owner, options.leaseMs)
  if (!lease) throw busy(session.id, gate.run_id)
  const updated_at = new Date(options.clock.now()).toISOString()
  // Other clients of this session show its mode and model too.
  if (mode !== session.mode || (request.isModelChosen && model !== session.model))
    book.notify('session:updated', { mode, model, updated_at })
  book.hidden('run:owner', runOwner(lease, options.owner, 'accepted'))
  book.hidden('run:model_call', {}, { loop_id: ROOT_LOOP })
  if (waiting) yield* endWaitingRun(waiting.id)
  const given = runtime_env && options.seal(JSON.stringify(runtime_env))
  if (given) yield* keepPastSecrets(session.id, given)
  yield* insertRun({
    id: run_id,
    session_id: session.id,
    principal: user_id,
    client_message_id,
    body_digest: client_message_id === null ? null : digest,
    options: asks,
    needs: elsewhere ?? { model, tools: options.ownTools(), ...agentOf(session) },
    first_seq: gate.head + gate.skip + 1,
    secrets: given ?? start.secrets ?? null,
    continues: start.goesOn && waiting ? waiting.id : null,
    key_id: request.key_id ?? null,
  })
  yield* setSessionRunning({ id: session.id, mode, model, updated_at })
  const { events, turns } = book.take()
  yield* appendEvents({ session_id: session.id, epoch: lease.epoch, events, turns, batch: run_id })
  if (!elsewhere) return { run_id, since: gate.head, lease }
  yield* giveBack(lease)
  return { run_id, since: gate.head }
}

export function agentOf({ agent: name, agent_digest: digest }: SessionRow): Pick<RunNeeds, 'agent'> {
  return name === null || digest === null ? {} : { agent: { name, digest } }
}
