import { AgentError, isOnPath, isUserMessage, ROOT_LOOP, textOf } from '@parley/protocol'
import type { Checkpoint } from '@parley/protocol/rest'
import type { TurnRow } from '../../store/append.ts'
import { branchesOf, branchOf, type StoredBranch } from '../../store/branch-rows.ts'
import type { Engine } from '../../store/engine.ts'
import { readTurn } from '../../store/read-turn.ts'
import { demandSession } from '../../store/session-record.ts'
import { isStep, type TurnHead, turnHeads } from '../../store/turn-heads.ts'
import { findMessage, type Said } from '../../store/user-messages.ts'
import { runSql, type Work } from '../../store/work.ts'
import type { Sessions } from '../service.ts'

// A checkpoint is the moment before a user's message. It has no row of its own: the message's turn tells all about it.

const PREFIX = 'cp_'
const LABEL_CHARACTERS = 80
/** Of a very long session, the newest are listed. */
const LISTED = 1_000

type Row = Omit<TurnRow, 'messages'>

export function listCheckpoints({ engine }: { engine: Engine }): Sessions['checkpoints'] {
  return ({ user_id }, session_id) =>
    engine.read(function* () {
      yield* demandSession(engine, user_id, session_id)
      return yield* checkpointsOf(session_id)
    })
}

/** [W12.1] Of all branches, oldest first. */
export function* checkpointsOf(session_id: string): Work<Checkpoint[]> {
  const heads = yield* turnHeads(session_id)
  const asked = heads.filter(
    ({ loop_id, kind, role }) => loop_id === ROOT_LOOP && kind === 'message' && role === 'user',
  )
  const rows = yield* rowsOf(session_id, asked.slice(-LISTED))
  const branches = yield* branchesOf(session_id)
  const steps = heads.filter(isStep)
  return rows
    .map(readTurn)
    .filter(isUserMessage)
    .map((turn) => {
      const branch = branchOf(branches, turn.sequence)
      const active = branches.find(({ isActive }) => isActive) ?? branch
      return {
        checkpoint_id: PREFIX + turn.turn_id,
        turn_id: turn.turn_id,
        sequence: turn.sequence,
        label: textOf(turn).trim().slice(0, LABEL_CHARACTERS),
        created_at: turn.started_at,
        branch_id: branch.branch_id,
        active: isOnPath(active.path, turn.sequence),
        parent_turn_id: stepBefore(steps, branch, turn.sequence)?.turn_id ?? null,
      }
    })
}

function* rowsOf(session_id: string, heads: readonly TurnHead[]): Work<Row[]> {
  if (heads.length === 0) return []
  return yield* runSql<Row>(
    `SELECT turn_id, sequence, run_id, loop_id, status, projection FROM turns
      WHERE session_id = ? AND sequence IN (${heads.map(() => '?').join(', ')}) ORDER BY sequence`,
    [session_id, ...heads.map(({ sequence }) => sequence)],
  )
}

/** The user's message that a checkpoint stands before, and the branch that it was said on. */
export function* demandCheckpoint(session_id: string, checkpoint_id: string): Work<Said> {
  const isOne = checkpoint_id.startsWith(PREFIX)
  const found = isOne && (yield* findMessage(session_id, checkpoint_id.slice(PREFIX.length)))
  if (found) return found
  throw new AgentError('not_found', `Session ${session_id} has no checkpoint ${checkpoint_id.slice(0, 100)}.`)
}

/** `steps` ascend. */
function stepBefore(steps: readonly TurnHead[], { path }: StoredBranch, sequence: number): TurnHead | undefined {
  let [low, high] = [0, steps.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (steps[middle]!.sequence < sequence) low = middle + 1
    else high = middle
  }
  for (let index = low - 1; index >= 0; index--) if (isOnPath(path, steps[index]!.sequence)) return steps[index]
  return undefined
}
