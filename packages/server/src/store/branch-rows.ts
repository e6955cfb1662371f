import { type Branch, isOnPath, type Span } from '@parley/protocol'
import { archiveAgain } from './compaction-rows.ts'
import { readStoredList } from './stored-json.ts'
import { runSql, type Work } from './work.ts'

/** A branch, and from which number on turns may have been written on it. */
export type StoredBranch = Branch & {
  first_sequence: number
  isActive: boolean
  /** The state of the workspace when it was left, where that was kept. */
  files: string | null
}

/** The only branch of a session that was never rewound. */
export const MAIN: StoredBranch = {
  branch_id: 'main',
  path: [{ from: 0, to: null }],
  first_sequence: 0,
  isActive: true,
  files: null,
}

type Row = { branch_id: string; path: string; active: number; first_sequence: number; files: string | null }

/** All of them, oldest first. */
export function* branchesOf(session_id: string): Work<StoredBranch[]> {
  const rows = yield* runSql<Row>(
    'SELECT branch_id, path, active, first_sequence, files FROM branches WHERE session_id = ? ORDER BY first_sequence, branch_id',
    [session_id],
  )
  if (rows.length === 0) return [MAIN]
  return rows.map(({ branch_id, path, active, first_sequence, files }) => ({
    branch_id,
    path: (readStoredList(path) ?? []) as Span[],
    first_sequence,
    isActive: active === 1,
    files,
  }))
}

/** The branch on which a turn was written: of those that lead through it, the one that was there then. */
export function branchOf(branches: readonly StoredBranch[], sequence: number): StoredBranch {
  const here = branches.find(({ path, first_sequence }) => first_sequence <= sequence && isOnPath(path, sequence))
  return here ?? branches[0]!
}

/** Keeps a branch as it is now. */
export function* storeBranch(session_id: string, branch: StoredBranch): Work<void> {
  const { branch_id, path, isActive, first_sequence, files } = branch
  yield* runSql(
    `INSERT INTO branches (session_id, branch_id, path, active, first_sequence, files, created_at)
      VALUES (?, ?, ?, ?, ?, ?, now_ms()) ON CONFLICT (session_id, branch_id)
      DO UPDATE SET path = excluded.path, active = excluded.active, files = excluded.files`,
    [session_id, branch_id, JSON.stringify(path), isActive ? 1 : 0, first_sequence, files],
  )
}

/** The state of the workspace in which a branch was left. */
export function* keepFilesOf(session_id: string, branch_id: string, files: string): Work<void> {
  yield* runSql('UPDATE branches SET files = ? WHERE session_id = ? AND branch_id = ?', [files, session_id, branch_id])
}

export function* dropBranch(session_id: string, branch_id: string): Work<void> {
  yield* runSql('DELETE FROM branches WHERE session_id = ? AND branch_id = ?', [session_id, branch_id])
}

/** Rows that one statement changes: databases bound the length of a statement. */
const ROWS_AT_ONCE = 500

/** The rows as `followPath` of the protocol has the turns: those beside the path are deprecated, compactions on it count. */
export function* markPath(session_id: string, path: readonly Span[]): Work<void> {
  const rows = yield* runSql<{ sequence: number; deprecated: number }>(
    'SELECT sequence, deprecated FROM turns WHERE session_id = ?',
    [session_id],
  )
  for (const deprecated of [0, 1]) {
    const wrong = rows.filter(
      (row) => row.deprecated !== deprecated && isOnPath(path, row.sequence) === (deprecated === 0),
    )
    for (let at = 0; at < wrong.length; at += ROWS_AT_ONCE) {
      const some = wrong.slice(at, at + ROWS_AT_ONCE).map(({ sequence }) => sequence)
      yield* runSql(
        `UPDATE turns SET deprecated = ? WHERE session_id = ? AND sequence IN (${some.map(() => '?').join(', ')})`,
        [deprecated, session_id, ...some],
      )
    }
  }
  yield* archiveAgain(session_id)
}
