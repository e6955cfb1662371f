import type { RunError } from '../../core/loop-events.ts'
import type { Clock } from '../../ports.ts'
import { keepFilesOf } from '../../store/branch-rows.ts'
import type { Lease } from '../../store/gate.ts'
import type { RestoreOrder } from '../../store/run-options.ts'
import { setSessionStatus } from '../../store/session-rows.ts'
import type { Work } from '../../store/work.ts'
import { say } from '../../words/phrases.ts'
import type { ActiveRun } from '../active-run.ts'
import { changeBranch } from '../change-branch.ts'
import type { LoadedRun } from '../restore/load-run.ts'
import type { WorkOptions } from '../runs-options.ts'
import { tellBranch } from '../tell-branch.ts'
import type { TurnBook } from '../turn-book.ts'
import type { WorkspaceStates } from '../workspace-states.ts'
import { endQuietRun } from './end-quiet.ts'
import type { RunJournal } from './run-journal.ts'

export type RestoreOptions = Pick<WorkOptions, 'startQueued' | 'beginner' | 'at' | 'language'> & {
  clock: Clock
  lease: Lease
  loaded: LoadedRun
  journal: RunJournal
  active: ActiveRun
  states: WorkspaceStates
  onError: (error: unknown) => void
}

type Files = { files_restored: boolean; files_problem?: string }

/**
 * A run that puts files back, and then the conversation: a reader sees both or neither. Begun again after a crash it finds
 * half of the work done; what the files were like before it is kept under its own name, once.
 */
export async function driveRestore(options: RestoreOptions): Promise<'ended' | 'handed_back'> {
  const { loaded, lease, active, states, language, onError, at } = options
  const { restore: order } = loaded.options
  if (active.isDraining || !order) return order ? 'handed_back' : finish(options, null, failure(language))
  try {
    const { session_id, run_id } = lease
    await at?.('before:C12')
    await states.keep(session_id, run_id, active.signal)
    const restored = await states.restore(session_id, order.to, active.signal)
    await at?.('after:C12')
    const files = restored.restored
      ? { files_restored: true }
      : { files_restored: false, files_problem: restored.message }
    return await finish(options, files, null)
  } catch (error) {
    if (active.signal.aborted) return 'handed_back'
    onError(error)
    return finish(options, null, failure(language))
  }
}

const failure = (language: RestoreOptions['language']): RunError => ({
  code: 'storage_unavailable',
  message: say('failure.restore', language),
})

async function finish(options: RestoreOptions, files: Files | null, error: RunError | null): Promise<'ended'> {
  const { journal, loaded, at } = options
  const order = loaded.options.restore
  await at?.('before:C9')
  const begin = options.beginner()
  const queued = await journal.commit((append) =>
    endQuietRun({
      ...options,
      append,
      error,
      ...(files && order && { also: (book) => settle(book, { ...order, files }, options) }),
    }),
  )
  await at?.('after:C9')
  begin(queued)
  return 'ended'
}

/** [W12.1] One event tells where the conversation is now, another that files have changed. */
function* settle(
  book: TurnBook,
  { change, files }: RestoreOrder & { files: Files },
  { lease, loaded, clock }: RestoreOptions,
): Work<object> {
  const { session_id, run_id } = lease
  if (files.files_restored) book.notify('workspace:files_changed', { file_path: null })
  if (!change) return files
  const { branch, left, ...changed } = yield* changeBranch({ session_id, next: book.nextSequence }, change)
  if (branch) {
    const updated_at = new Date(clock.now()).toISOString()
    const status = loaded.session.status as 'completed'
    yield* keepFilesOf(session_id, left, run_id)
    yield* tellBranch(book, session_id, { updated_at, status, branch })
    yield* setSessionStatus(session_id, status, updated_at)
  }
  return { ...files, ...changed }
}
