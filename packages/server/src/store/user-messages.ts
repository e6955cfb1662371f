import { isUserMessage, type TurnProjection } from '@parley/protocol'
import type { TurnRow } from './append.ts'
import { branchesOf, branchOf, type StoredBranch } from './branch-rows.ts'
import { readTurn } from './read-turn.ts'
import { runSql, type Work } from './work.ts'

/** A user's message, and the branch that it was said on. */
export type Said = { turn: TurnProjection; branch: StoredBranch }

export function* findMessage(session_id: string, turn_id: string): Work<Said | undefined> {
  const [row] = yield* runSql<Omit<TurnRow, 'messages'>>(
    'SELECT turn_id, sequence, run_id, loop_id, status, projection FROM turns WHERE session_id = ? AND turn_id = ?',
    [session_id, turn_id],
  )
  const turn = row && readTurn(row)
  if (!turn || !isUserMessage(turn)) return undefined
  return { turn, branch: branchOf(yield* branchesOf(session_id), turn.sequence) }
}
