import type { ChatEndPayload } from '@parley/protocol'
import type { Run, RunPage } from '@parley/protocol/rest'
import { databaseNow } from '../store/database-now.ts'
import { readOptions } from '../store/run-options.ts'
import { isChat, type RunRow } from '../store/run-rows.ts'
import { readStored } from '../store/stored-json.ts'
import { runSql, type Work } from '../store/work.ts'

const COLUMNS = 'id, status, options, recoveries, continues, paused_at, outcome, created_at, ended_at'
type Row = Pick<
  RunRow,
  'id' | 'status' | 'options' | 'recoveries' | 'continues' | 'paused_at' | 'outcome' | 'created_at' | 'ended_at'
>

/** The runs of a session that people know of, the newest first. */
export function* listRuns(session_id: string, { limit, offset }: { limit: number; offset: number }): Work<RunPage> {
  const known = `FROM runs WHERE session_id = ? AND ${isChat('id')}`
  const rows = yield* runSql<Row>(`SELECT ${COLUMNS} ${known} ORDER BY first_seq DESC, id LIMIT ? OFFSET ?`, [
    session_id,
    limit,
    offset,
  ])
  const [count] = yield* runSql<{ n: number }>(`SELECT count(*) AS n ${known}`, [session_id])
  const now = yield* databaseNow()
  return { items: rows.map((row) => toRun(row, now)), total: count?.n ?? 0 }
}

function toRun(row: Row, now: number): Run {
  const outcome: Partial<ChatEndPayload> | undefined = readStored(row.outcome ?? '')
  const { status, paused_at, ended_at } = row
  const over = status === 'ended' ? ended_at : null
  return {
    run_id: row.id,
    started_at: timeOf(row.created_at),
    ended_at: over === null ? null : timeOf(over),
    status: status === 'active' ? 'running' : status === 'waiting' ? 'waiting' : (outcome?.status ?? 'failed'),
    finish_reason: outcome?.finish_reason ?? null,
    usage: outcome?.usage ?? null,
    takeovers: row.recoveries,
    waited_ms: paused_at === null ? 0 : Math.max(0, (over ?? now) - paused_at),
    model: readOptions(row.options)?.model || null,
    continues: row.continues,
  }
}

function timeOf(at: number): string {
  return new Date(at).toISOString()
}
