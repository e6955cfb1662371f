import type { TurnProjection } from '@parley/protocol'
import type { Journal } from '../store/journal.ts'
import { readTurn } from '../store/read-turn.ts'

const PAGE = 50

/** A finished turn by its id, looked for from the end: a turn that goes on after a pause is hardly ever far back. */
export async function loadTurn(
  journal: Journal,
  session_id: string,
  turn_id: string,
): Promise<TurnProjection | undefined> {
  let before: number | undefined
  for (;;) {
    const rows = await journal.turns(session_id, before === undefined ? { limit: PAGE } : { limit: PAGE, before })
    const found = rows.find((row) => row.turn_id === turn_id)
    if (found) return readTurn(found)
    if (rows.length < PAGE) return undefined
    before = rows[0]!.sequence
  }
}
