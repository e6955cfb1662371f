import type { ToolOutput } from '../../ports.ts'
import { readStored } from '../../store/stored-json.ts'
import { runSql, type Work } from '../../store/work.ts'

/**
 * A call that a backend is asked, as its row tells it:
 *
 *   sent ─ 202 ─▶ accepted ─ call back ─▶ answered
 *    ├──── call back before its 202 ────────▲
 *    └── answered at once, stopped, too late ─▶ closed   (so does accepted)
 *
 * The row is there before the request leaves: whoever gets it may call back before it has answered.
 */
type State = 'sent' | 'accepted' | 'answered' | 'closed'

export type NewCall = { call_id: string; session_id: string; tool: string }

/** `true`: the request may leave. `false`: it was accepted or answered before, and only its result is waited for. */
export function* beginCall({ call_id, session_id, tool }: NewCall): Work<boolean> {
  const begun = yield* runSql(
    `INSERT INTO http_tool_calls (call_id, session_id, run_id, tool, state)
      SELECT ?, session_id, run_id, ?, 'sent' FROM gates WHERE session_id = ? AND run_id IS NOT NULL
      ON CONFLICT (call_id) DO UPDATE SET state = 'sent' WHERE http_tool_calls.state IN ('sent', 'closed')
      RETURNING call_id`,
    [call_id, tool, session_id],
  )
  return begun.length > 0
}

export function* acceptCall(call_id: string): Work<void> {
  yield* runSql(
    `UPDATE http_tool_calls SET state = 'accepted', accepted_at = now_ms() WHERE call_id = ? AND state = 'sent'`,
    [call_id],
  )
}

/** From now on no call back counts. One that came before does: what it brought is given back. */
export function* closeCall(call_id: string): Work<ToolOutput | undefined> {
  yield* runSql(`UPDATE http_tool_calls SET state = 'closed' WHERE call_id = ? AND state IN ('sent', 'accepted')`, [
    call_id,
  ])
  return (yield* findCall(call_id))?.output
}

/** Whether its backend has said that it is at work, or is done. `givesUp`: if it has not, no call back counts any more. */
export function* isUnderWay(call_id: string, givesUp: boolean): Work<boolean> {
  if (givesUp)
    yield* runSql(`UPDATE http_tool_calls SET state = 'closed' WHERE call_id = ? AND state = 'sent'`, [call_id])
  const call = yield* findCall(call_id)
  return call?.state === 'accepted' || call?.state === 'answered'
}

/** What a call back brings. `same`: it brought this before; `other`: something else; `closed`: nobody waits any more. */
export type Brought = { call_id: string; output: ToolOutput; digest: string }

export function* answerCall({ call_id, output, digest }: Brought): Work<'stored' | 'same' | 'other' | 'closed'> {
  const stored = yield* runSql(
    `UPDATE http_tool_calls SET state = 'answered', output = ?, digest = ?
      WHERE call_id = ? AND state IN ('sent', 'accepted') AND run_id =
        (SELECT run_id FROM gates WHERE gates.session_id = http_tool_calls.session_id AND stop_requested = 0)
      RETURNING call_id`,
    [JSON.stringify(output), digest, call_id],
  )
  if (stored.length > 0) return 'stored'
  const call = yield* findCall(call_id)
  if (call?.state !== 'answered') return 'closed'
  return call.digest === digest ? 'same' : 'other'
}

export type StoredCall = {
  session_id: string
  tool: string
  state: State
  /** Milliseconds since its 202. */
  waitedMs: number
  output: ToolOutput | undefined
  digest: string | null
}

type Row = Omit<StoredCall, 'output' | 'waitedMs'> & { accepted_at: number | null; now: number; output: string | null }

export function* findCall(call_id: string): Work<StoredCall | undefined> {
  const [row] = yield* runSql<Row>(
    'SELECT session_id, tool, state, accepted_at, now_ms() AS now, output, digest FROM http_tool_calls WHERE call_id = ?',
    [call_id],
  )
  if (!row) return undefined
  const { accepted_at, now, output, ...call } = row
  const waitedMs = accepted_at === null ? 0 : now - accepted_at
  return { ...call, waitedMs, output: output === null ? undefined : (readStored(output) as ToolOutput | undefined) }
}
