import type { Engine } from './engine.ts'
import { type Work, runSql } from './work.ts'

/** Numbers left out at a take-over, so that text shown just before a power cut shares its numbers with nothing else. */
export const TAKEOVER_SKIP = 10_000

/** The right to write a session's journal: valid until somebody else's claim raises the epoch. */
export type Lease = { session_id: string; run_id: string; epoch: number }

/** A lease as its gate row shows it. Every sign of life of its owner changes `lease_until`. */
export type SeenLease = Lease & {
  /** `null`: handed back, or void since this server's start; anybody may take it at once. */
  owner: string | null
  lease_until: number
}

/** The leases of all active runs, those first that were renewed longest ago. */
export function readLeases(engine: Engine): Promise<SeenLease[]> {
  return engine.select(
    'SELECT session_id, run_id, epoch, owner, lease_until FROM gates WHERE run_id IS NOT NULL ORDER BY lease_until',
    [],
  )
}

/**
 * Takes a run over: raises the epoch, which fences the old owner whatever it is doing, and makes the next append skip
 * numbers. `undefined` when somebody was faster, or its owner gave a sign of life since the lease was seen. No clock is
 * asked: that a lease has run out is for the claimer to have seen. Read the journal only after the commit.
 */
export function* takeOver(seen: SeenLease, owner: string, leaseMs: number): Work<Lease | undefined> {
  const { session_id, run_id, epoch, lease_until } = seen
  const [gate] = yield* runSql<{ epoch: number }>(
    `UPDATE gates SET epoch = epoch + 1, skip = ${TAKEOVER_SKIP}, owner = ?, lease_until = now_ms() + ?
      WHERE session_id = ? AND run_id = ? AND epoch = ? AND lease_until = ? RETURNING epoch`,
    [owner, leaseMs, session_id, run_id, epoch, lease_until],
  )
  return gate && { session_id, run_id, epoch: gate.epoch }
}

/** Starts a run in a session that has none: `undefined` means busy, or gone. The caller appends in the same transaction. */
export function* beginRun(session_id: string, run_id: string, owner: string, leaseMs: number): Work<Lease | undefined> {
  const [gate] = yield* runSql<{ epoch: number }>(
    `UPDATE gates SET epoch = epoch + 1, owner = ?, lease_until = now_ms() + ?, run_id = ?, stop_requested = 0
      WHERE session_id = ? AND run_id IS NULL RETURNING epoch`,
    [owner, leaseMs, run_id, session_id],
  )
  return gate && { session_id, run_id, epoch: gate.epoch }
}

/** Frees the session for its next run. Goes into the transaction that stores the run's end. */
export function* endRun({ session_id, epoch }: Lease): Work<void> {
  yield* runSql(
    'UPDATE gates SET run_id = NULL, owner = NULL, lease_until = 0, stop_requested = 0 WHERE session_id = ? AND epoch = ?',
    [session_id, epoch],
  )
}

/**
 * Prolongs leases in one statement and says which are still ours. It matches owner and epoch, not time: an owner that was
 * slow, but not replaced, keeps its run; one that was replaced never gets it back.
 */
export function* renew(leases: readonly Lease[], owner: string, leaseMs: number): Work<Lease[]> {
  if (leases.length === 0) return []
  const pairs = leases.map(() => '(CAST(? AS TEXT), CAST(? AS BIGINT))').join(', ')
  return yield* runSql<Lease>(
    `UPDATE gates SET lease_until = now_ms() + ? WHERE owner = ? AND (session_id, epoch) IN (VALUES ${pairs})
      RETURNING session_id, run_id, epoch`,
    [leaseMs, owner, ...leases.flatMap(({ session_id, epoch }) => [session_id, epoch])],
  )
}

/** Gives a run back for anybody to take at once. The last write of this epoch: it raises it. */
export function* handBack({ session_id, epoch }: Lease): Work<boolean> {
  const rows = yield* runSql(
    `UPDATE gates SET epoch = epoch + 1, skip = ${TAKEOVER_SKIP}, owner = NULL, lease_until = 0
      WHERE session_id = ? AND epoch = ? RETURNING epoch`,
    [session_id, epoch],
  )
  return rows.length > 0
}
