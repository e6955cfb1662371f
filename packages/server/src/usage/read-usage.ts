import { setImmediate } from 'node:timers/promises'
import { AgentError } from '@parley/protocol'
import type { UsageReport } from '@parley/protocol/rest'
import type { Engine } from '../store/engine.ts'
import type { Buckets } from './buckets.ts'

export type Grouping = NonNullable<UsageReport['by']>

/** What runs of one bucket, group and model have used. */
export type UsedTogether = {
  /** When its bucket began. */
  start: number
  key: string | null
  model: string
  runs: number
  failed: number
  interrupted: number
  paused: number
  input_tokens: number
  cached_tokens: number
  output_tokens: number
  waited_ms: number
  /** Each of them, with commas between. */
  first_token_ms: string | null
  run_ms: string | null
}

export type UsageRange = {
  from: number
  to: number
  /** `null`: everybody's. */
  account_id: string | null
  by: Grouping | null
  buckets: Buckets
}

/** So many rows are added up before others get their turn: some milliseconds. */
const SLICE = 2_000
/** A statement tells so many buckets apart. */
const MOST_BUCKETS = 50
/** More are not added up for one answer. */
const MOST_ROWS = 1_000_000

const KEYS: Record<Grouping, string> = { model: 'model', user: 'account_id', key: 'key_id', outcome: 'outcome' }

/** Every row of a range, slice by slice: one statement over all of them would hold SQLite's only thread. */
export async function readUsage(engine: Engine, range: UsageRange, use: (used: UsedTogether) => void): Promise<void> {
  const { to, account_id, by, buckets } = range
  const whose = account_id === null ? '' : 'account_id = ? AND '
  const own = account_id === null ? [] : [account_id]
  const timeOf = async (from: number, until: number, skipped: number) => {
    const sql = `SELECT at FROM run_usage WHERE ${whose}at >= ? AND at < ? ORDER BY at LIMIT 1 OFFSET ${skipped}`
    return (await engine.select<{ at: number }>(sql, [...own, from, until]))[0]?.at
  }
  let first = await timeOf(range.from, to, 0)
  for (let slices = 0; first !== undefined; slices++) {
    if (slices * SLICE >= MOST_ROWS)
      throw new AgentError('invalid_payload', `from: more than ${MOST_ROWS} runs; ask for a shorter range.`)
    const starts = buckets.startsFrom(first, Math.min(to, first + buckets.longest * MOST_BUCKETS))
    const end = Math.min(to, starts.at(-1)!)
    const cut = await timeOf(first, end, SLICE)
    const until: number = cut === undefined ? end : Math.max(cut, first + 1)
    const sql = sumsOf(engine.kind, { whose, by, starts })
    const rows = await engine.select<UsedTogether & { bucket: number }>(sql, [...own, first, until])
    for (const row of rows) use({ ...row, start: starts[row.bucket]! })
    await setImmediate()
    first = cut ?? (await timeOf(until, to, 0))
  }
}

type Statement = { whose: string; by: Grouping | null; starts: readonly number[] }

/** `starts`: of the buckets, and of the one after the last of them. */
function sumsOf(kind: Engine['kind'], { whose, by, starts }: Statement): string {
  const bucket = starts.slice(1).map((end, index) => `WHEN at < ${end} THEN ${index}`)
  const sum = (of: string) => `CAST(sum(${of}) AS BIGINT)`
  const ended = (outcome: string) =>
    `${sum(`CASE WHEN is_run = 1 AND outcome = '${outcome}' THEN 1 ELSE 0 END`)} AS ${outcome}`
  const each = (column: string) =>
    `${kind === 'sqlite' ? `group_concat(${column})` : `string_agg(CAST(${column} AS TEXT), ',')`} AS ${column}`
  return `SELECT CASE ${bucket.join(' ')} END AS bucket, ${by ? KEYS[by] : 'CAST(NULL AS TEXT)'} AS key, model,
      ${sum('is_run')} AS runs, ${ended('failed')}, ${ended('interrupted')}, ${ended('paused')},
      ${sum('input_tokens')} AS input_tokens, ${sum('cached_tokens')} AS cached_tokens,
      ${sum('output_tokens')} AS output_tokens, ${sum('waited_ms')} AS waited_ms, ${each('first_token_ms')}, ${each('run_ms')}
    FROM run_usage WHERE ${whose}at >= ? AND at < ? GROUP BY 1, 2, 3`
}
