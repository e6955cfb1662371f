import { ROOT_LOOP } from '@parley/protocol'
import { SERVER_STOPPED } from '../../context/stored-turns.ts'
import { readTurn } from '../../store/read-turn.ts'
import { readOptions, type RunOptions, type RunTerms } from '../../store/run-options.ts'
import type { WaitingRun } from '../../store/run-rows.ts'
import { runSql, type Work } from '../../store/work.ts'
import type { TurnRow } from '../../store/append.ts'
import type { TurnBook } from '../turn-book.ts'

/** Faces that count turns read from the journal how many there may be, and where the count goes on. */
export function tellTerms(book: TurnBook, terms: RunTerms | undefined): void {
  const { max_turns, turns_before = 0 } = terms ?? {}
  if (max_turns !== undefined) book.hidden('run:terms', { max_turns, turns_before })
}

/** What the run that waited was asked for: whatever goes on after it goes on under the same terms. */
export function* optionsAfter(waiting: WaitingRun, session_id: string): Work<RunOptions | undefined> {
  const options = readOptions(waiting.options)
  if (options?.max_turns === undefined) return options
  const rows = yield* runSql<TurnRow>(
    'SELECT turn_id, sequence, run_id, loop_id, status, projection, messages FROM turns WHERE session_id = ? AND run_id = ? AND loop_id = ?',
    [session_id, waiting.id, ROOT_LOOP],
  )
  const made = rows
    .map(readTurn)
    .filter(({ role, failure_reason }) => role === 'assistant' && failure_reason !== SERVER_STOPPED)
  return { ...options, turns_before: (options.turns_before ?? 0) + made.length }
}
