import type { SessionStatus } from '@parley/protocol'
import { withdrawConfirmations } from '../confirm/confirmations.ts'
import type { RunError } from '../core/loop-events.ts'
import { appendEvents, type NewEvent } from '../store/append.ts'
import { endRun, type Lease } from '../store/leases.ts'
import { runSql, type Work } from '../store/work.ts'

/**
 * Ends a run without a look at what it holds, for one that nobody can carry on or even close: stopped when somebody asked
 * for that, failed otherwise. Turns that it left open stay as they are.
 */
export function* endUnread(lease: Lease, error: RunError, updated_at: string): Work<void> {
  const { session_id, run_id, epoch } = lease
  const [gate] = yield* runSql<{ stop_requested: number }>('SELECT stop_requested FROM gates WHERE session_id = ?', [
    session_id,
  ])
  const [run] = yield* runSql<{ principal: string }>('SELECT principal FROM runs WHERE id = ?', [run_id])
  const status = (gate?.stop_requested ? 'interrupted' : 'failed') satisfies SessionStatus
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
    ...(status === 'failed'
      ? [['system:error', { code, message, detail: null, run_id }] satisfies [string, object]]
      : []),
    ['chat:end', chatEnd],
    ['session:updated', { status, updated_at }],
  ]
  const events = told.map(([type, data]): NewEvent => ({
    type,
    data: JSON.stringify(data),
    run_id,
    loop_id: null,
    turn_id: null,
  }))
  yield* appendEvents({ session_id, epoch, events, batch: `${run_id}.${epoch}.unread` })
  yield* runSql('UPDATE sessions SET status = ?, updated_at = ? WHERE id = ?', [status, updated_at, session_id])
  if (run) yield* withdrawConfirmations(session_id, run.principal)
  yield* runSql("UPDATE runs SET status = 'ended', outcome = ?, ended_at = now_ms(), secrets = NULL WHERE id = ?", [
    JSON.stringify(chatEnd),
    run_id,
  ])
  yield* endRun(lease)
}
