import { AgentError } from '@parley/protocol'
import { countPending } from './commands.ts'
import type { Engine } from './engine.ts'
import { type Work, runSql } from './work.ts'

// Every statement on the gate row. Two kinds lie elsewhere, because there the row is half of a statement that must be one:
// reading events together with where they stand (journal.ts), and PostgreSQL's own (postgres/gate-statements.ts).

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

/** Where a session's journal stands while nobody else may start, end or add to its run. */
export type LockedGate = { run_id: string | null; head: number; skip: number }

/** A session's journal starts with its gate row. */
export function* openGate(session_id: string): Work<void> {
  yield* runSql('INSERT INTO gates (session_id) VALUES (?)', [session_id])
}

/**
 * Takes the session's gate row for the rest of the transaction: nobody starts, ends or adds to a run, or deletes the
 * session, meanwhile. `undefined`: there is no such session.
 */
export function* holdGate(session_id: string): Work<LockedGate | undefined> {
  const [gate] = yield* runSql<LockedGate>(
    'UPDATE gates SET epoch = epoch WHERE session_id = ? RETURNING run_id, head, skip',
    [session_id],
  )
  return gate
}

export function* lockGate(session_id: string): Work<LockedGate> {
  const gate = yield* holdGate(session_id)
  if (!gate)
    throw new AgentError('session_not_found', `There is no session ${session_id}.`, { details: { session_id } })
  return gate
}

type FoundGate = { run_id: string | null; head: number; stop_requested: number }

/** `undefined`: there is no such session. */
export function* findGate(session_id: string): Work<FoundGate | undefined> {
  const [gate] = yield* runSql<FoundGate>('SELECT head, run_id, stop_requested FROM gates WHERE session_id = ?', [
    session_id,
  ])
  return gate
}

export type MovedGate = { head: number; last_at: number; stop_requested: number }

const GATE_RETURNS = 'RETURNING head, last_at, stop_requested'
const NEXT_AT = 'last_at = CASE WHEN last_at > now_ms() THEN last_at ELSE now_ms() END'

/** The fence: one row back, or the epoch is not ours any more. */
const MOVE_HEAD = `UPDATE gates SET head = head + skip + ?, skip = 0, ${NEXT_AT}, last_batch = ? || ':' || (head + skip + ?)
  WHERE session_id = ? AND epoch = ? ${GATE_RETURNS}`

// Leaves last_batch alone: it must keep telling the run's owner how its own last append ended.
const MOVE_HEAD_OF_NOTICE = `UPDATE gates SET head = head + skip + ?, skip = 0, ${NEXT_AT} WHERE session_id = ? ${GATE_RETURNS}`

/** Makes room for so many events. No row: the epoch is over, or the session is gone. */
export function moveHead(
  { session_id, epoch, batch }: { session_id: string; epoch: number | null; batch: string },
  count: number,
): Work<MovedGate[]> {
  return epoch === null
    ? runSql(MOVE_HEAD_OF_NOTICE, [count, session_id])
    : runSql(MOVE_HEAD, [count, batch, count, session_id, epoch])
}

// What the owners of several sessions append, as JSON: session, epoch, how many events, the mark.
const MOVE_HEADS = `UPDATE gates SET head = head + skip + (w.value ->> 2), skip = 0, last_at = max(last_at, ?),
  last_batch = (w.value ->> 3) || ':' || (head + skip + (w.value ->> 2)) FROM json_each(?) w
  WHERE session_id = w.value ->> 0 AND epoch = w.value ->> 1 ${GATE_RETURNS}, session_id`

/** The same for the appends of owners, at most one a session, in one statement; SQLite alone. Those without a row are fenced. */
export function moveHeads(
  appends: readonly { session_id: string; epoch: number | null; batch: string; events: readonly unknown[] }[],
  now: number,
): Work<(MovedGate & { session_id: string })[]> {
  const wanted = appends.map(({ session_id, epoch, batch, events }) => [session_id, epoch, events.length, batch])
  return runSql(MOVE_HEADS, [now, JSON.stringify(wanted)])
}

/** Events up to this number may be forgotten. Returns the floor before, or `undefined` when it was no lower. */
export function* raiseFloor(session_id: string, floor: number): Work<number | undefined> {
  const [gate] = yield* runSql<{ floor: number }>('SELECT floor FROM gates WHERE session_id = ?', [session_id])
  if (!gate || gate.floor >= floor) return undefined
  yield* runSql('UPDATE gates SET floor = ? WHERE session_id = ? AND floor < ?', [floor, session_id, floor])
  return gate.floor
}

/** Sessions in which nothing has happened for so long, nothing runs and nothing waits for a person, with events to forget. */
export function* quietSessions(quietMs: number, limit: number): Work<{ session_id: string; now: number }[]> {
  return yield* runSql(
    `SELECT session_id, now_ms() AS now FROM gates
      WHERE floor < head AND last_at < now_ms() - CAST(? AS BIGINT) AND run_id IS NULL
        AND NOT EXISTS (SELECT 1 FROM runs WHERE runs.session_id = gates.session_id AND runs.status <> 'ended')
      LIMIT ?`,
    [quietMs, limit],
  )
}

/** What people have asked of a run. */
export type Asked = { stop_requested: number; commands: number }

const PENDING_COMMANDS = 'SELECT count(*) FROM commands c WHERE c.session_id = g.session_id AND applied_at IS NULL'

/** Nobody adds to it for the rest of the transaction. */
export function* gateAndCommands({ session_id, epoch }: Lease): Work<Asked> {
  const [gate] = yield* runSql<{ stop_requested: number }>(
    'UPDATE gates SET epoch = epoch WHERE session_id = ? AND epoch = ? RETURNING stop_requested',
    [session_id, epoch],
  )
  return { stop_requested: gate?.stop_requested ?? 0, commands: yield* countPending(session_id) }
}

/** The same of every run that an instance owns, in one question. */
export function askedOfOwner(engine: Engine, owner: string): Promise<(Asked & Omit<Lease, 'epoch'>)[]> {
  return engine.select(
    `SELECT session_id, run_id, stop_requested, (${PENDING_COMMANDS}) AS commands FROM gates g WHERE owner = ?`,
    [owner],
  )
}

/** Whoever owns the session's run sees this with its next append, or when it looks. */
export function* requestStop(session_id: string): Work<void> {
  yield* runSql('UPDATE gates SET stop_requested = 1 WHERE session_id = ?', [session_id])
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
export function* beginRun(
  { session_id, run_id }: Omit<Lease, 'epoch'>,
  owner: string,
  leaseMs: number,
): Work<Lease | undefined> {
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

/** For the start of a database's only server: whoever held a lease is gone. Its text may be too, so numbers are skipped. */
export const VOID_LEASES = `UPDATE gates SET epoch = epoch + 1, skip = ${TAKEOVER_SKIP}, owner = NULL, lease_until = 0 WHERE run_id IS NOT NULL`
