import type { ArchivedRange } from '@parley/protocol'
import type { TurnRow } from './append.ts'
import { readTurn } from './read-turn.ts'
import { FORMAT_WITHOUT_CONSENT } from './run-options.ts'
import { runSql, type Work } from './work.ts'

// What a compaction changes beside its own turn. Everything here is part of the transaction that stores its `turn:end`, and
// follows from that event alone.

export type CompactionRow = { session_id: string; loop_id: string; turn_id: string; sequence: number }

/** The end of a projection that was archived: the mark is always its last field. */
export const ARCHIVED = `,"archived":true}`

/**
 * Marks what the compaction has replaced, as `isReplaced` of the protocol says, and remembers where the context begins now.
 * The run cannot be carried on any more by a server that would not see the summary.
 */
export function* storeCompaction(
  { session_id, loop_id, turn_id, sequence }: CompactionRow,
  { from, to, kept }: ArchivedRange,
  run_id: string,
): Work<void> {
  yield* archive({ session_id, loop_id, sequence }, { from, to, kept })
  yield* runSql('INSERT INTO compactions (session_id, loop_id, turn_id, sequence, first_kept) VALUES (?, ?, ?, ?, ?)', [
    session_id,
    loop_id,
    turn_id,
    sequence,
    Math.min(to + 1, ...kept),
  ])
  yield* runSql(
    `UPDATE runs SET format = ${FORMAT_WITHOUT_CONSENT} WHERE id = ? AND format < ${FORMAT_WITHOUT_CONSENT}`,
    [run_id],
  )
}

function* archive(
  { session_id, loop_id, sequence }: Omit<CompactionRow, 'turn_id'>,
  { from, to, kept }: ArchivedRange,
): Work<void> {
  const others = kept.length === 0 ? '' : `AND sequence NOT IN (${kept.map(() => '?').join(', ')})`
  yield* runSql(
    `UPDATE turns SET projection = substr(projection, 1, length(projection) - 1) || '${ARCHIVED}'
      WHERE session_id = ? AND loop_id = ? AND sequence < ? AND deprecated = 0
        AND projection LIKE '%}' AND projection NOT LIKE '%${ARCHIVED}'
        AND ((sequence >= ? AND sequence <= ? ${others})
          OR sequence IN (SELECT sequence FROM compactions WHERE session_id = ? AND loop_id = ?))`,
    [session_id, loop_id, sequence, from, to, ...kept, session_id, loop_id],
  )
}

/** Marks what the compactions of the active branch have replaced, and nothing else. */
export function* archiveAgain(session_id: string): Work<void> {
  if ((yield* countCompactions(session_id)) === 0) return
  yield* runSql(
    `UPDATE turns SET projection = substr(projection, 1, length(projection) - ${ARCHIVED.length}) || '}'
      WHERE session_id = ? AND projection LIKE '%${ARCHIVED}'`,
    [session_id],
  )
  const rows = yield* runSql<Omit<TurnRow, 'messages'>>(
    `SELECT t.turn_id, t.sequence, t.run_id, t.loop_id, t.status, t.projection FROM turns t JOIN ${ACTIVE_COMPACTIONS} ORDER BY t.sequence`,
    [session_id],
  )
  for (const row of rows) {
    const { archived_range } = readTurn(row)
    if (archived_range) yield* archive({ ...row, session_id }, archived_range)
  }
}

/** Those of the branch that is being talked on. */
const ACTIVE_COMPACTIONS =
  'compactions c ON t.session_id = c.session_id AND t.sequence = c.sequence AND t.deprecated = 0 WHERE t.session_id = ?'

/** The first turn that may be part of this loop's context. */
export function* contextBegins(session_id: string, loop_id: string): Work<number> {
  const [row] = yield* runSql<{ first_kept: number }>(
    `SELECT c.first_kept FROM turns t JOIN ${ACTIVE_COMPACTIONS} AND c.loop_id = ? ORDER BY c.sequence DESC LIMIT 1`,
    [session_id, loop_id],
  )
  return row?.first_kept ?? 0
}

export function* countCompactions(session_id: string): Work<number> {
  const [row] = yield* runSql<{ n: number }>('SELECT count(*) AS n FROM compactions WHERE session_id = ?', [session_id])
  return row?.n ?? 0
}
