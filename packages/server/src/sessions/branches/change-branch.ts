import { acceptChange, acceptRestore } from '../../runs/accept/accept-restore.ts'
import { findAccepted } from '../../runs/accept/idempotency.ts'
import type { WorkspaceStates } from '../../runs/workspace-states.ts'
import type { Journal } from '../../store/journal.ts'
import type { BranchChange, RestoreOrder } from '../../store/run-options.ts'
import { RESTORE_RUN } from '../../store/run-rows.ts'
import { demandSession } from '../../store/session-record.ts'
import { activeBranch } from '../../store/take-branch.ts'
import type { Said } from '../../store/user-messages.ts'
import type { AcceptingOptions } from '../accepting.ts'
import { modelFor, type ModelChoice } from '../send.ts'
import type { BranchOutcome, Sessions } from '../service.ts'
import { demandCheckpoint } from './checkpoints.ts'

export type BranchOptions = AcceptingOptions &
  ModelChoice & {
    journal: Journal
    /** Earlier states of workspaces, where they are kept. */
    states?: WorkspaceStates | undefined
  }

type Place = { user_id: string; session_id: string }

/** [W12.1] Back to just before a message: the conversation, the files, or both. */
export function rewindSession(options: BranchOptions): Sessions['rewind'] {
  const { ids } = options
  return async ({ user_id }, session_id, { checkpoint_id, restore }) => {
    const place = { user_id, session_id }
    const { turn } = await lookAt(place, checkpoint_id, options)
    const change =
      restore === 'files' ? null : { type: 'rewind' as const, turn_id: turn.turn_id, branch_id: ids.next('branch') }
    return goTo(place, { change, to: restore === 'conversation' ? null : { before: turn.sequence } }, options)
  }
}

/** [W12.1] On with the branch that a checkpoint lies on, and with the files as they were when it was left. */
export function switchBranch(options: BranchOptions): Sessions['switchBranch'] {
  const { ids } = options
  return async ({ user_id }, session_id, { checkpoint_id, restore }) => {
    const place = { user_id, session_id }
    const { turn, branch } = await lookAt(place, checkpoint_id, options)
    const change = { type: 'switch' as const, turn_id: turn.turn_id, branch_id: ids.next('branch') }
    const to = restore === 'conversation' || branch.files === null ? null : { name: branch.files }
    return goTo(place, { change, to }, options)
  }
}

function lookAt({ user_id, session_id }: Place, checkpoint_id: string, { engine }: BranchOptions): Promise<Said> {
  return engine.read(function* () {
    yield* demandSession(engine, user_id, session_id)
    return yield* demandCheckpoint(session_id, checkpoint_id)
  })
}

type Course = { change: BranchChange | null; to: RestoreOrder['to'] | null }

/** At once where no file is to be put back. */
async function goTo(place: Place, { change, to }: Course, options: BranchOptions): Promise<BranchOutcome> {
  const { engine, states } = options
  if (to && (await states?.has(place.session_id, to)))
    return { accepted: await restore(place, { change, to }, options) }
  if (change) {
    const done = await engine.write(() => acceptChange(place, change, options))
    return { done: { ...done, files_restored: false } }
  }
  const { branch_id } = await engine.read(() => activeBranch(place.session_id))
  return { done: { branch_id, removed_turns: 0, turns: 0, files_restored: false } }
}

async function restore(place: Place, order: RestoreOrder, options: BranchOptions) {
  const { engine, ids, runs, owner } = options
  const { session_id, user_id } = place
  const session = await engine.read(() => demandSession(engine, user_id, session_id))
  const run_id = ids.next(RESTORE_RUN)
  const sentAt = runs.now()
  const request = { ...place, run_id, order, model: await modelFor(session, null, options) }
  const { since, lease } = await engine.write(() => acceptRestore(request, options), {
    confirm: () => findAccepted({ session_id, run_id }, owner),
  })
  if (lease) runs.begin(lease, sentAt, true)
  return { session_id, run_id, since }
}
