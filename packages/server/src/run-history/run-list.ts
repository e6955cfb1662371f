import type { ChatEndPayload } from '@parley/protocol'
import type { Run, RunPage } from '@parley/protocol/rest'
import type { Price } from '../config/price-options.ts'
import { databaseNow } from '../store/database-now.ts'
import { readOptions } from '../store/run-options.ts'
import { isChat, type RunRow } from '../store/run-rows.ts'
import { readStored } from '../store/stored-json.ts'
import { runSql, type Work } from '../store/work.ts'
import { Cost, type Tokens } from '../usage/cost.ts'

const COLUMNS = 'id, status, options, recoveries, continues, paused_at, outcome, created_at, ended_at'
type Row = Pick<
  RunRow,
  'id' | 'status' | 'options' | 'recoveries' | 'continues' | 'paused_at' | 'outcome' | 'created_at' | 'ended_at'
>

type Asked = { limit: number; offset: number; prices: ReadonlyMap<string, Price>; currency: string }

/** The runs of a session that people know of, the newest first. */
export function* listRuns(session_id: string, { limit, offset, prices, currency }: Asked): Work<RunPage> {
  const known = `FROM runs WHERE session_id = ? AND ${isChat('id')}`
  const rows = yield* runSql<Row>(`SELECT ${COLUMNS} ${known} ORDER BY first_seq DESC, id LIMIT ? OFFSET ?`, [
    session_id,
    limit,
    offset,
  ])
  const [count] = yield* runSql<{ n: number }>(`SELECT count(*) AS n ${known}`, [session_id])
  const now = yield* databaseNow()
  const costs = yield* costsOf(
    rows.map(({ id }) => id),
    prices,
  )
  const costOf = (id: string) => {
    const told = costs.get(id)?.told()
    return told?.cost === undefined ? {} : { ...told, currency }
  }
  return { items: rows.map((row) => ({ ...toRun(row, now), ...costOf(row.id) })), total: count?.n ?? 0 }
}

/** By run, for those that have ended or wait. */
function* costsOf(ids: readonly string[], prices: Asked['prices']): Work<ReadonlyMap<string, Cost>> {
  const costs = new Map<string, Cost>()
  if (ids.length === 0 || prices.size === 0) return costs
  const rows = yield* runSql<Tokens & { run_id: string; model: string }>(
    `SELECT run_id, model, input_tokens, cached_tokens, output_tokens FROM run_usage WHERE run_id IN (${ids.map(() => '?').join(', ')})`,
    ids,
  )
  for (const { run_id, model, ...tokens } of rows) {
    const cost = costs.get(run_id) ?? new Cost()
    cost.add(tokens, prices.get(model))
    costs.set(run_id, cost)
  }
  return costs
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
