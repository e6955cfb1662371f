import { ROOT_LOOP, type SessionStatus } from '@parley/protocol'
import { withdrawConfirmations } from '../../confirm/confirmations.ts'
import type { RunError } from '../../core/loop-events.ts'
import type { Clock, Ids } from '../../ports.ts'
import { appendEvents } from '../../store/append.ts'
import { endRun, findGate, type Lease } from '../../store/gate.ts'
import { isQuietRun, principalOf, storeOutcome } from '../../store/run-rows.ts'
import { setSessionStatus } from '../../store/session-rows.ts'
import { recordUsage } from '../../store/usage-rows.ts'
import { runSql, type Work } from '../../store/work.ts'
import type { Acceptance } from '../accept/request.ts'
import type { RunOwner } from '../run-owner.ts'
import { TurnBook } from '../turn-book.ts'

/**
 * Ends a run without a look at what it holds, for one that nobody can carry on or even close: stopped when somebody asked
 * for that, failed otherwise. Turns that it left open stay as they are.
 */
export function* endUnread(lease: Lease, error: RunError, ports: EndPorts): Work<Acceptance | undefined> {
  if (!isQuietRun(lease.run_id)) return yield* endChat(lease, error, ports)
  const { session_id, run_id, epoch } = lease
  const outcome = { status: 'failed', error }
  const about = { run_id, loop_id: null, turn_id: null }
  const told = [...ownerTold(ports), ['run:quiet_end', outcome] as const]
  const events = told.map(([type, data]) => ({ type, data: JSON.stringify(data), ...about }))
  yield* appendEvents({ session_id, epoch, events, batch: `${run_id}.${epoch}.unread` })
  yield* storeOutcome(run_id, 'ended', outcome)
  yield* endRun(lease)
  return yield* ports.startQueued(session_id)
}

export type EndPorts = {
  clock: Clock
  ids: Ids
  /** Whose the run is, where no event says so yet. */
  untold: RunOwner | undefined
  startQueued: (session_id: string) => Work<Acceptance | undefined>
}

function ownerTold({ untold }: EndPorts): [string, object][] {
  return untold ? [['run:owner', untold]] : []
}

function* endChat(lease: Lease, error: RunError, ports: EndPorts): Work<undefined> {
  const { clock, ids } = ports
  const updated_at = new Date(clock.now()).toISOString()
  const { session_id, run_id, epoch } = lease
  const isStopped = (yield* findGate(session_id))?.stop_requested === 1
  const principal = yield* principalOf(run_id)
  const status = (isStopped ? 'interrupted' : 'failed') satisfies SessionStatus
  const { code, message } = error
  const chatEnd = {
    status,
    result: null,
    finish_reason: null,
    run_id,
    session_status: status,
    pause_tool: null,
    pause_tool_data: null,
    error: status === 'failed' ? { code, message } : null,
    usage: null,
  }
  const told: [string, object][] = [
    ...ownerTold(ports),
    ...(status === 'failed'
      ? [['system:error', { code, message, detail: null, run_id }] satisfies [string, object]]
      : []),
    ['chat:end', chatEnd],
    ['session:updated', { status, updated_at }],
  ]
  const book = new TurnBook({
    run_id,
    nextSequence: yield* nextSequence(lease),
    clock,
    ids,
    contextWindow: () => 0,
    solution_id: null,
  })
  if (status === 'failed' && (yield* lastStatus(lease)) !== 'failed') book.addFailedTurn(null, `${code}: ${message}`)
  const { events, turns } = book.take()
  for (const [type, data] of told)
    events.push({ type, data: JSON.stringify(data), run_id, loop_id: null, turn_id: null })
  yield* appendEvents({ session_id, epoch, events, turns, batch: `${run_id}.${epoch}.unread` })
  yield* setSessionStatus(session_id, status, updated_at)
  if (principal !== undefined) yield* withdrawConfirmations(session_id, principal)
  yield* storeOutcome(run_id, 'ended', chatEnd)
  yield* recordUsage({ run_id, outcome: status, model: '', turn_id: null, spent: new Map() })
  yield* endRun(lease)
  return undefined
}

/** Behind every stored turn, and behind those that were left open. */
function* nextSequence({ session_id, run_id }: Lease): Work<number> {
  const [found] = yield* runSql<{ last: number | null; open: number }>(
    `SELECT (SELECT max(sequence) FROM turns WHERE session_id = ?) AS last,
      (SELECT count(*) FROM events e WHERE e.session_id = ? AND e.run_id = ? AND e.type = 'turn:start'
        AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.session_id = e.session_id AND t.turn_id = e.turn_id)) AS open`,
    [session_id, session_id, run_id],
  )
  return (found?.last ?? -1) + 1 + (found?.open ?? 0)
}

/** Of the main agent's last turn in this run. */
function* lastStatus({ session_id, run_id }: Lease): Work<string | undefined> {
  const [last] = yield* runSql<{ status: string }>(
    'SELECT status FROM turns WHERE session_id = ? AND run_id = ? AND loop_id = ? ORDER BY sequence DESC LIMIT 1',
    [session_id, run_id, ROOT_LOOP],
  )
  return last?.status
}
