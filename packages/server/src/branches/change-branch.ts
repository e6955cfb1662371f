import { AgentError, type Branch, isOnPath, type SessionStatus } from '@parley/protocol'
import type { Rewound, SwitchedBranch } from '@parley/protocol/rest'
import { withdrawConfirmations } from '../confirm/confirmations.ts'
import { type BookPorts, openBook } from '../runs/open-book.ts'
import { closeWaiting, storeNotices } from '../runs/waiting.ts'
import { before, countLost } from '../store/branch-path.ts'
import { lockGate } from '../store/gate.ts'
import type { Journal } from '../store/journal.ts'
import { endWaitingRun, findWaitingRun } from '../store/run-rows.ts'
import { demandSession } from '../store/session-record.ts'
import { setSessionStatus } from '../store/session-rows.ts'
import { activeBranch, branchOff, returnTo } from '../store/take-branch.ts'
import { runSql, type Work } from '../store/work.ts'
import { busy } from '../runs/accept/request.ts'
import { demandCheckpoint } from './checkpoints.ts'

export type ChangeOptions = BookPorts & { journal: Journal }

type Change = {
  user_id: string
  session_id: string
  checkpoint_id: string
  /** Of the branch that begins with it, if one does. */
  branch_id: string
}

/** [W12.1] The conversation goes back to just before a message. What came after stays, on the branch it was said on. */
export function* rewindTo(change: Change, options: ChangeOptions): Work<Omit<Rewound, 'files_restored'>> {
  const { session_id, checkpoint_id, branch_id } = change
  const { before: from, after: to } = yield* changing(change, options, function* (next) {
    const { turn, branch } = yield* demandCheckpoint(session_id, checkpoint_id)
    return yield* branchOff({ session_id, next }, before(branch.path, turn.sequence), branch_id)
  })
  const removed_turns = countLost(yield* turnsOf(session_id), from.path, to.path)
  return { session_id, checkpoint_id, removed_turns, branch_id: to.branch_id }
}

/** [W12.1] Goes on with the branch that a checkpoint lies on, where it was left. */
export function* switchTo(change: Change, options: ChangeOptions): Work<SwitchedBranch> {
  const { session_id, checkpoint_id } = change
  const { after } = yield* changing(change, options, function* (next) {
    return yield* returnTo({ session_id, next }, (yield* demandCheckpoint(session_id, checkpoint_id)).branch)
  })
  const turns = (yield* turnsOf(session_id)).filter((sequence) => isOnPath(after.path, sequence))
  return { session_id, branch_id: after.branch_id, turns: turns.length }
}

/** One event tells all of it, in the transaction that does it. What waits for a person is withdrawn. */
function* changing(
  { user_id, session_id }: Change,
  options: ChangeOptions,
  change: (next: number) => Work<Branch | undefined>,
): Work<{ before: Branch; after: Branch }> {
  const { engine, clock, ids, journal } = options
  const session = yield* demandSession(engine, user_id, session_id)
  const gate = yield* lockGate(session_id)
  if (gate.run_id !== null) throw busy(session_id, gate.run_id)
  yield* demandNothingInBackground(session_id)
  const before = yield* activeBranch(session_id)
  const waiting = yield* findWaitingRun(session_id)
  const book = yield* openBook(session, { run_id: waiting?.id ?? ids.next('chat') }, options)
  const branch = yield* change(book.nextSequence)
  if (!branch) return { before, after: before }
  closeWaiting(book, 'withdrawn')
  yield* withdrawConfirmations(session_id, user_id)
  const updated_at = new Date(clock.now()).toISOString()
  const status = waiting ? ('interrupted' satisfies SessionStatus) : (session.status as SessionStatus)
  book.notify('session:updated', { updated_at, status, branch })
  yield* storeNotices(book, session_id, journal)
  if (waiting) yield* endWaitingRun(waiting.id)
  yield* setSessionStatus(session_id, status, updated_at)
  return { before, after: branch }
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

function* turnsOf(session_id: string): Work<number[]> {
  const rows = yield* runSql<{ sequence: number }>('SELECT sequence FROM turns WHERE session_id = ?', [session_id])
  return rows.map(({ sequence }) => sequence)
}
