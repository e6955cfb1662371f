import { setImmediate } from 'node:timers/promises'
import { AgentError } from '@parley/protocol'
import type { Engine } from '../store/engine.ts'

export type UsedRow = {
  run_id: string
  model: string
  is_run: number
  account_id: string
  key_id: string | null
  outcome: string
  at: number
  input_tokens: number
  cached_tokens: number
  output_tokens: number
  first_token_ms: number | null
  run_ms: number | null
  waited_ms: number
}

export type UsageRange = { from: number; to: number; /** `null`: everybody's. */ account_id: string | null }

/** So many are read before others get their turn: some milliseconds. */
const PAGE = 2_000
/** More are not added up for one answer. */
const MOST_ROWS = 1_000_000

const COLUMNS =
  'run_id, model, is_run, account_id, key_id, outcome, at, input_tokens, cached_tokens, output_tokens, first_token_ms, run_ms, waited_ms'

/** Every row of a range, page by page: a year of them does not fit into one turn of the thread. */
export async function readUsage(
  engine: Engine,
  { from, to, account_id }: UsageRange,
  use: (row: UsedRow) => void,
): Promise<void> {
  const whose = account_id === null ? '' : 'account_id = ? AND '
  let after: Pick<UsedRow, 'at' | 'run_id' | 'model'> = { at: from, run_id: '', model: '' }
  for (let read = 0; ; read += PAGE) {
    if (read >= MOST_ROWS)
      throw new AgentError('invalid_payload', `from: more than ${MOST_ROWS} runs; ask for a shorter range.`)
    const rows = await engine.select<UsedRow>(
      `SELECT ${COLUMNS} FROM run_usage WHERE ${whose} (at, run_id, model) > (?, ?, ?) AND at < ?
        ORDER BY at, run_id, model LIMIT ${PAGE}`,
      [...(account_id === null ? [] : [account_id]), after.at, after.run_id, after.model, to],
    )
    rows.forEach(use)
    const last = rows.at(-1)
    if (!last || rows.length < PAGE) return
    after = last
    await setImmediate()
  }
}
