import type { Clock, Ids } from '../ports.ts'
import { TURN_COLUMNS } from '../context/stored-turns.ts'
import type { Engine } from '../store/engine.ts'
import { findGate } from '../store/gate.ts'
import { readTurn } from '../store/read-turn.ts'
import { firstNumber } from '../store/run-rows.ts'
import type { SessionRow } from '../store/session-record.ts'
import { run, runSql, type Work } from '../store/work.ts'
import { loadRecord } from './restore/load-run.ts'
import { TurnBook } from './turn-book.ts'

export type BookPorts = { engine: Engine; clock: Clock; ids: Ids }

/** A book that goes on where the session's turns end, with those that wait for a person taken up. */
export function* openBook(
  session: Pick<SessionRow, 'id' | 'solution_id'>,
  { run_id, contextWindow = 0 }: { run_id: string; contextWindow?: number },
  { engine, clock, ids }: BookPorts,
): Work<TurnBook> {
  const [last] = yield* runSql<{ sequence: number | null }>(
    'SELECT max(sequence) AS sequence FROM turns WHERE session_id = ?',
    [session.id],
  )
  const nextSequence = (last?.sequence ?? -1) + 1
  const book = new TurnBook({
    ...{ run_id, clock, ids, nextSequence, solution_id: session.solution_id },
    contextWindow: () => contextWindow,
  })
  const paused = yield* run(
    engine.db
      .selectFrom('turns')
      .select(TURN_COLUMNS)
      .where('session_id', '=', session.id)
      .where('status', '=', 'paused')
      .orderBy('sequence'),
  )
  for (const { messages, ...row } of paused) book.adopt(readTurn(row), messages)
  return book
}

/** With the turns of a run under way as well: a question waits from the moment it is shown, while other calls still work. */
export function* openBookOfQuestions(
  session: SessionRow,
  its: { run_id: string; contextWindow?: number },
  ports: BookPorts,
): Work<TurnBook> {
  const book = yield* openBook(session, its, ports)
  const active = (yield* findGate(session.id))?.run_id ?? null
  const first = active === null ? undefined : yield* firstNumber(active)
  if (first === undefined) return book
  const { open } = yield* loadRecord(session.id, first)
  for (const { turn } of open) book.adopt(turn, null)
  return book
}
