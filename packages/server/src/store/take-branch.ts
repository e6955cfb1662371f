import { AgentError, type Branch } from '@parley/protocol'
import { branchesOf, dropBranch, markPath, storeBranch, type StoredBranch } from './branch-rows.ts'
import type { Work } from './work.ts'
import { closed, goingOn, isSamePath, type Path } from './branch-path.ts'

type Place = {
  session_id: string
  /** Number of the next turn. */
  next: number
}

/** The branch that is being talked on. */
export function* activeBranch(session_id: string): Work<StoredBranch> {
  const branches = yield* branchesOf(session_id)
  return branches.find(({ isActive }) => isActive) ?? branches[0]!
}

/**
 * Leads the conversation on from the end of this path, on a new branch. What was said since stays on the one it leaves.
 * `undefined`: it goes on where it is.
 */
export function* branchOff({ session_id, next }: Place, path: Path, branch_id: string): Work<Branch | undefined> {
  const active = yield* activeBranch(session_id)
  const onwards = goingOn(path, next)
  if (isSamePath(onwards, active.path)) return undefined
  yield* leave(session_id, active, next)
  return yield* take(session_id, { branch_id, path: onwards, first_sequence: next, isActive: true, files: null })
}

/** Goes on where a branch was left; `undefined` when it is the one that is being talked on. */
export function* returnTo({ session_id, next }: Place, branch: StoredBranch): Work<Branch | undefined> {
  if (branch.isActive) return undefined
  yield* leave(session_id, yield* activeBranch(session_id), next)
  return yield* take(session_id, { ...branch, path: goingOn(branch.path, next), isActive: true, files: null })
}

/** A path is told to every client that follows the session. */
const MAX_SPANS = 2_000

function* take(session_id: string, branch: StoredBranch): Work<Branch> {
  if (branch.path.length > MAX_SPANS)
    throw new AgentError(
      'invalid_payload',
      `This branch would be made of ${branch.path.length} pieces of the conversation; at most ${MAX_SPANS} are kept together.`,
    )
  yield* storeBranch(session_id, branch)
  yield* markPath(session_id, branch.path)
  return { branch_id: branch.branch_id, path: branch.path }
}

/** A branch on which nothing was ever written is nobody's to return to. */
function* leave(session_id: string, branch: StoredBranch, next: number): Work<void> {
  const path = closed(branch.path, next - 1)
  const isWritten = path.some(({ to }) => to !== null && to >= branch.first_sequence)
  if (isWritten) yield* storeBranch(session_id, { ...branch, path, isActive: false, files: null })
  else yield* dropBranch(session_id, branch.branch_id)
}
