import { isOnPath, isUserMessage } from '@parley/protocol'
import type { CheckedOut } from '@parley/protocol/rest'
import type { TurnRow } from '../../store/append.ts'
import type { Engine } from '../../store/engine.ts'
import { readTurn } from '../../store/read-turn.ts'
import { runSql, type Work } from '../../store/work.ts'
import { demandSession } from '../../store/session-record.ts'
import type { Sessions } from '../service.ts'
import { demandCheckpoint } from './checkpoints.ts'

type Look = { session_id: string; checkpoint_id: string; position: CheckedOut['position'] }

export function checkOut({ engine }: { engine: Engine }): Sessions['checkout'] {
  return ({ user_id }, session_id, { checkpoint_id, position }) =>
    engine.read(function* () {
      yield* demandSession(engine, user_id, session_id)
      return yield* lookBack({ session_id, checkpoint_id, position })
    })
}

/** [W12.1] The conversation as it was before a message, or at the end of what was done for it. Changes nothing. */
function* lookBack({ session_id, checkpoint_id, position }: Look): Work<CheckedOut> {
  const { turn, branch } = yield* demandCheckpoint(session_id, checkpoint_id)
  const rows = yield* runSql<Omit<TurnRow, 'messages'>>(
    `SELECT turn_id, sequence, run_id, loop_id, status, projection FROM turns WHERE session_id = ? ORDER BY sequence`,
    [session_id],
  )
  const turns = rows.filter(({ sequence }) => isOnPath(branch.path, sequence)).map(readTurn)
  const next = turns.find((other) => other.sequence > turn.sequence && isUserMessage(other))
  const end = position === 'before' ? turn.sequence : (next?.sequence ?? Infinity)
  return { checkpoint_id, position, turns: turns.filter(({ sequence }) => sequence < end) }
}
