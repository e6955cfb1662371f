import { AgentError, type Branch, isOnPath } from '@parley/protocol'
import { before, countLost } from '../store/branch-path.ts'
import type { BranchChange } from '../store/run-options.ts'
import { activeBranch, branchOff, returnTo } from '../store/take-branch.ts'
import { findMessage } from '../store/user-messages.ts'
import { runSql, type Work } from '../store/work.ts'

export type Changed = {
  /** The one that is being talked on from now on. `undefined`: the same as before. */
  branch: Branch | undefined
  branch_id: string
  /** The one that it was talked on until now. */
  left: string
  /** Of the conversation: how many turns it has lost, and has now. */
  removed_turns: number
  turns: number
}

/** [W12.1] The conversation takes another course. What it leaves stays, on the branch it was said on. */
export function* changeBranch(
  { session_id, next }: { session_id: string; next: number },
  { type, turn_id, branch_id }: BranchChange,
): Work<Changed> {
  const found = yield* findMessage(session_id, turn_id)
  if (!found) throw new AgentError('not_found', `Session ${session_id} has no message ${turn_id.slice(0, 100)}.`)
  const { turn } = found
  const from = yield* activeBranch(session_id)
  // What was left out of the branch that is being talked on stays left out.
  const on = isOnPath(from.path, turn.sequence) ? from : found.branch
  const branch = yield* type === 'rewind'
    ? branchOff({ session_id, next }, before(on.path, turn.sequence), branch_id)
    : returnTo({ session_id, next }, found.branch)
  const to = branch ?? from
  const turns = yield* turnsOf(session_id)
  return {
    branch,
    branch_id: to.branch_id,
    left: from.branch_id,
    removed_turns: countLost(turns, from.path, to.path),
    turns: turns.filter((sequence) => isOnPath(to.path, sequence)).length,
  }
}

function* turnsOf(session_id: string): Work<number[]> {
  const rows = yield* runSql<{ sequence: number }>('SELECT sequence FROM turns WHERE session_id = ?', [session_id])
  return rows.map(({ sequence }) => sequence)
}
