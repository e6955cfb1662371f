import type { Usage } from '@parley/protocol'
import { runSql, type Work } from './work.ts'

export type SpentRun = {
  run_id: string
  /** `null`: it talks to nobody, and is no run to people; its tokens count. */
  outcome: 'completed' | 'paused' | 'failed' | 'interrupted' | null
  /** The one that was asked. */
  model: string
  /** The first answer, if one began. */
  turn_id: string | null
  /** What its turns say, by model. */
  spent: ReadonlyMap<string, Usage>
}

const COLUMNS =
  'run_id, model, is_run, account_id, key_id, outcome, at, input_tokens, cached_tokens, output_tokens, first_token_ms, run_ms'

/** The first of an answer that anybody could see. Ends its search there, near the run's beginning. */
const FIRST_SEEN = `(SELECT e.at FROM events e WHERE e.session_id = r.session_id AND e.event_seq > r.first_seq
  AND e.turn_id = ? AND e.type = 'turn:patch' ORDER BY e.event_seq LIMIT 1)`

/** Goes into the transaction of C9. */
export function* recordUsage({ run_id, outcome, model, turn_id, spent }: SpentRun): Work<void> {
  if (outcome !== null) yield* insertRow(model, 1)
  for (const other of spent.keys()) if (outcome === null || other !== model) yield* insertRow(other, 0)

  function* insertRow(of: string, is_run: 0 | 1): Work<void> {
    const { input_tokens = 0, cache_read_tokens = 0, output_tokens = 0 }: Partial<Usage> = spent.get(of) ?? {}
    const times = is_run === 1 ? `${FIRST_SEEN} - r.created_at, now_ms() - r.created_at` : 'NULL, NULL'
    yield* runSql(
      `INSERT INTO run_usage (${COLUMNS}) SELECT r.id, ?, ${is_run}, coalesce(u.account_id, r.principal), r.key_id, ?, now_ms(),
          CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT), ${times}
        FROM runs r LEFT JOIN users u ON u.id = r.principal WHERE r.id = ?`,
      [
        of,
        outcome ?? 'completed',
        input_tokens,
        cache_read_tokens,
        output_tokens,
        ...(is_run === 1 ? [turn_id] : []),
        run_id,
      ],
    )
  }
}

/** A run waits no more. */
export function* recordWait(run_id: string): Work<void> {
  yield* runSql('UPDATE run_usage SET waited_ms = now_ms() - at WHERE run_id = ? AND is_run = 1', [run_id])
}
