import { textOf } from '@parley/protocol'
import type { Clock } from '../ports.ts'
import { appendEvents, type NewEvent, type TurnRow } from '../store/append.ts'
import type { Engine } from '../store/engine.ts'
import type { Journal } from '../store/journal.ts'
import { indexDocument } from '../store/search-index.ts'
import { setSessionStatus } from '../store/session-rows.ts'
import type { Work } from '../store/work.ts'
import type { ImportedTurn } from './imported-turns.ts'

export type Imported = { session_id: string; user_id: string; turns: readonly ImportedTurn[] }

/** Of a long conversation, the beginning is found by its words. */
const INDEXED_CHARACTERS = 1_000_000

/** The turns of a new session, as a part of the transaction that makes it: an event each, whose fold is the row. */
export function* storeTurns(
  { session_id, user_id, turns }: Imported,
  { engine, journal, clock }: { engine: Engine; journal: Journal; clock: Clock },
): Work<void> {
  if (turns.length === 0) return
  const append = journal.appending(session_id, null, turns.map(eventOf))
  yield* appendEvents({ ...append, turns: turns.map(rowOf) })
  let left = INDEXED_CHARACTERS
  for (const { turn } of turns) {
    const text = textOf(turn)
    left -= text.length
    if (left < 0) break
    if (text !== '')
      yield* indexDocument(engine, { user_id, kind: 'session', parent_id: session_id, ref: turn.turn_id, text })
  }
  yield* setSessionStatus(session_id, 'completed', new Date(clock.now()).toISOString())
}

function eventOf({ turn }: ImportedTurn): NewEvent {
  const data = JSON.stringify({ ...turn, solution_id: null, template_id: null })
  return { type: 'turn:end', data, run_id: null, loop_id: turn.loop_id, turn_id: turn.turn_id }
}

function rowOf({ turn, parts }: ImportedTurn): TurnRow {
  const { turn_id, sequence, run_id, loop_id, status } = turn
  const messages = parts && JSON.stringify(parts)
  return { turn_id, sequence, run_id, loop_id, status, projection: JSON.stringify(turn), messages }
}
