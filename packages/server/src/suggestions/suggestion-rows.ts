import { ROOT_LOOP, textOf, type TurnProjection } from '@parley/protocol'
import { findGate, holdGate } from '../store/gate.ts'
import { readTurn } from '../store/read-turn.ts'
import { readStoredList } from '../store/stored-json.ts'
import { runSql, type Work } from '../store/work.ts'

/** How many turns are read; of long answers with many tools, only the end counts. */
const TURNS = 12

/** A change of mode, and the message. */
const TURNS_BEFORE = 2

type TurnRow = Parameters<typeof readTurn>[0]

export type Standing =
  /** A run is under way, or the conversation does not end with an answer. */
  | { type: 'nothing' }
  | { type: 'made'; turn_id: string; suggestions: string[] }
  | { type: 'missing'; turn_id: string; turns: TurnProjection[] }

/** Whether a session ends with an answer, and what was suggested after it. */
export function* standingOf(session_id: string): Work<Standing> {
  const gate = yield* findGate(session_id)
  if (!gate || gate.run_id !== null) return { type: 'nothing' }
  const columns = 'SELECT turn_id, sequence, run_id, loop_id, status, projection FROM turns'
  const rows = yield* runSql<TurnRow>(
    `${columns} WHERE session_id = ? AND loop_id = ? AND deprecated = 0 ORDER BY sequence DESC LIMIT ?`,
    [session_id, ROOT_LOOP, TURNS],
  )
  const turns = rows.map(readTurn).toReversed()
  const last = turns.at(-1)
  if (last?.role !== 'assistant' || last.status !== 'completed' || textOf(last).trim() === '')
    return { type: 'nothing' }
  const { turn_id } = last
  const [row] = yield* runSql<{ items: string | null }>(
    'SELECT items FROM suggestions WHERE session_id = ? AND turn_id = ?',
    [session_id, turn_id],
  )
  if (typeof row?.items !== 'string') {
    // A run of many turns: what it was asked comes first.
    const first = yield* runSql<TurnRow>(
      `${columns} WHERE session_id = ? AND loop_id = ? AND run_id = ? AND sequence < ? ORDER BY sequence LIMIT ?`,
      [session_id, ROOT_LOOP, last.run_id, turns[0]!.sequence, TURNS_BEFORE],
    )
    return { type: 'missing', turn_id, turns: [...first.map(readTurn), ...turns] }
  }
  return { type: 'made', turn_id, suggestions: (readStoredList(row.items) ?? []) as string[] }
}

type Claim = { session_id: string; turn_id: string; claim: string }

/** One caller on all instances makes them; whoever is gone without a word is replaced when its time is over. */
export function* claimSuggestions({ session_id, turn_id, claim }: Claim, forMs: number): Work<boolean> {
  // Taken for the rest of the transaction: no run begins, and no session is deleted meanwhile.
  const gate = yield* holdGate(session_id)
  if (!gate || gate.run_id !== null) return false
  const rows = yield* runSql(
    `INSERT INTO suggestions (session_id, turn_id, items, claim, claimed_until) VALUES (?, ?, NULL, ?, now_ms() + ?)
      ON CONFLICT (session_id, turn_id) DO UPDATE SET claim = excluded.claim, claimed_until = excluded.claimed_until
      WHERE suggestions.items IS NULL AND suggestions.claimed_until <= now_ms() RETURNING claim`,
    [session_id, turn_id, claim, forMs],
  )
  return rows.length > 0
}

export function* keepSuggestions({ session_id, turn_id, claim }: Claim, suggestions: readonly string[]): Work<void> {
  yield* runSql('UPDATE suggestions SET items = ? WHERE session_id = ? AND turn_id = ? AND claim = ?', [
    JSON.stringify(suggestions),
    session_id,
    turn_id,
    claim,
  ])
}

/** The caller left: the next one may try. */
export function* giveUpClaim({ session_id, turn_id, claim }: Claim): Work<void> {
  yield* runSql('DELETE FROM suggestions WHERE session_id = ? AND turn_id = ? AND claim = ? AND items IS NULL', [
    session_id,
    turn_id,
    claim,
  ])
}
