import { AgentError } from '@parley/protocol'
import { withdrawConfirmations } from '../../confirm/confirmations.ts'
import { type LockedGate, lockGate } from '../../store/gate.ts'
import type { Journal } from '../../store/journal.ts'
import type { BranchChange, RestoreOrder } from '../../store/run-options.ts'
import { findWaitingRun } from '../../store/run-rows.ts'
import { demandSession, type SessionRow } from '../../store/session-record.ts'
import { setSessionStatus } from '../../store/session-rows.ts'
import { runSql, type Work } from '../../store/work.ts'
import { changeBranch, type Changed } from '../change-branch.ts'
import { type BookPorts, openBook } from '../open-book.ts'
import { tellBranch } from '../tell-branch.ts'
import { closeWaiting, interruptWaiting, storeNotices } from '../waiting.ts'
import { beginQuietRun } from './begin-quiet-run.ts'
import { type Acceptance, type AcceptOptions, busy } from './request.ts'

type Ports = BookPorts & { journal: Journal }
type Place = { session_id: string; user_id: string }

/** [W12.1] The conversation takes another course, at once. One event tells all of it. */
export function* acceptChange(
  place: Place,
  change: BranchChange,
  ports: Ports,
): Work<Omit<Changed, 'branch' | 'left'>> {
  const { session } = yield* clearTheWay(place, ports)
  const book = yield* openBook(session, { run_id: ports.ids.next('chat') }, ports)
  const changing = { session_id: session.id, next: book.nextSequence }
  const { branch, left: _left, ...changed } = yield* changeBranch(changing, change)
  if (!branch) return changed
  const updated_at = new Date(ports.clock.now()).toISOString()
  const status = session.status as 'completed'
  yield* tellBranch(book, session.id, { updated_at, status, branch })
  yield* storeNotices(book, session.id, ports.journal)
  yield* setSessionStatus(session.id, status, updated_at)
  return changed
}

type Restoring = Place & { run_id: string; model: string; order: RestoreOrder }

/** The same with files, which take their time: a run puts them back, and nothing else begins meanwhile. */
export function* acceptRestore(
  { run_id, model, order, ...place }: Restoring,
  options: AcceptOptions & { journal: Journal },
): Work<Acceptance> {
  const { session, gate } = yield* clearTheWay(place, options)
  const kind = { kind: 'restore' as const, restore: order }
  return yield* beginQuietRun({ session, gate, run_id, user_id: place.user_id, kind, needs: { model } }, options)
}

/** Nothing is under way from here on, and what waited for a person is withdrawn. */
function* clearTheWay({ session_id, user_id }: Place, ports: Ports): Work<{ session: SessionRow; gate: LockedGate }> {
  const session = yield* demandSession(ports.engine, user_id, session_id)
  const gate = yield* lockGate(session_id)
  if (gate.run_id !== null) throw busy(session_id, gate.run_id)
  yield* demandNothingInBackground(session_id)
  const waiting = yield* findWaitingRun(session_id)
  if (!waiting) return { session, gate }
  const book = yield* openBook(session, { run_id: waiting.id }, ports)
  closeWaiting(book, 'withdrawn')
  yield* withdrawConfirmations(session_id, user_id)
  yield* interruptWaiting(book, session_id, ports)
  return { session: { ...session, status: 'interrupted' }, gate: yield* lockGate(session_id) }
}

/** A command that works on would go on changing the files of a conversation that never asked for it. */
function* demandNothingInBackground(session_id: string): Work<void> {
  const [task] = yield* runSql<{ task_id: string }>(
    "SELECT task_id FROM background_tasks WHERE session_id = ? AND status = 'running' LIMIT 1",
    [session_id],
  )
  if (task)
    throw new AgentError('session_busy', `Session ${session_id} has a command in the background. Stop it first.`, {
      details: { session_id, task_id: task.task_id },
    })
}
