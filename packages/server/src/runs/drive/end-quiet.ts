import type { RunError } from '../../core/loop-events.ts'
import { type Append, appendEvents } from '../../store/append.ts'
import { endRun, type Lease } from '../../store/gate.ts'
import { storeOutcome } from '../../store/run-rows.ts'
import { recordUsage } from '../../store/usage-rows.ts'
import type { Work } from '../../store/work.ts'
import type { Acceptance } from '../accept/request.ts'
import type { LoadedRun } from '../restore/load-run.ts'
import type { TurnBook } from '../turn-book.ts'
import type { RunJournal } from './run-journal.ts'
import { runTurns, spentIn } from './spent.ts'

export type QuietEnd = {
  lease: Lease
  loaded: LoadedRun
  journal: RunJournal
  append: Append
  error: RunError | null
  /** What it has done besides, in the same transaction: for whoever asked for it. */
  also?: (book: TurnBook) => Work<object>
  /** Starts the message that waited for this end, if one did. */
  startQueued: (session_id: string) => Work<Acceptance | undefined>
}

/**
 * C9 of a run that talks to nobody: nobody was told that it began, and nobody is told that it is over, but for whoever asked
 * for it. The message that waited starts in the same transaction, so that nothing can come between.
 */
export function* endQuietRun(end: QuietEnd): Work<Acceptance | undefined> {
  const { lease, loaded, journal, append, error, also, startQueued } = end
  const result = also && (yield* also(journal.book))
  const outcome = { status: error ? 'failed' : 'completed', error, ...(result && { result }) }
  journal.book.hidden('run:quiet_end', outcome)
  const last = journal.book.take()
  const events = [...append.events, ...last.events]
  const turns = [...(append.turns ?? []), ...last.turns]
  yield* appendEvents({ ...append, events, turns })
  yield* storeOutcome(loaded.run.id, 'ended', outcome)
  const { id: run_id, session_id } = loaded.run
  const spent = spentIn(yield* runTurns(session_id, run_id))
  yield* recordUsage({ run_id, outcome: null, model: '', turn_id: null, spent })
  yield* endRun(lease)
  return yield* startQueued(session_id)
}
