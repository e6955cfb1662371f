import type { TurnProjection, Usage } from '@parley/protocol'
import { addUsage } from '@parley/protocol/wire'
import { storedTurn, TURN_COLUMNS } from '../../context/stored-turns.ts'
import type { TurnRow } from '../../store/append.ts'
import { runSql, type Work } from '../../store/work.ts'

export type StoredTurns = ReturnType<typeof storedTurn>[]

export function* runTurns(session_id: string, run_id: string): Work<StoredTurns> {
  const rows = yield* runSql<TurnRow>(
    `SELECT ${TURN_COLUMNS.join(', ')} FROM turns WHERE session_id = ? AND run_id = ? ORDER BY sequence`,
    [session_id, run_id],
  )
  return rows.map(storedTurn)
}

/** What these turns have used, by the model that made them. */
export function spentIn(turns: readonly { turn: Pick<TurnProjection, 'model' | 'usage'> }[]): Map<string, Usage> {
  const spent = new Map<string, Usage>()
  for (const { turn } of turns) {
    if (turn.usage) spent.set(turn.model ?? '', addUsage(spent.get(turn.model ?? '') ?? null, turn.usage)!)
  }
  return spent
}
