import type { Selectable } from 'kysely'
import type { Engine } from './engine.ts'
import { handBack, type Lease, type SeenLease, takeOver } from './gate.ts'
import { FORMAT_WITHOUT_CONSENT, formatOf, type RunNeeds, type RunOptions } from './run-options.ts'
import type { Schema } from './schema.ts'
import { recordWait } from './usage-rows.ts'
import { run, runSql, type Work } from './work.ts'

// Every statement on the runs row. A run is `active` while its session's gate names it, `waiting` once it has paused for a
// person, and `ended` after that: by its end, or by whatever came instead of an answer.

export type RunRow = Selectable<Schema['runs']>

export type NewRun = {
  id: string
  session_id: string
  principal: string
  client_message_id: string | null
  body_digest: string | null
  options: RunOptions
  needs: RunNeeds
  /** Number of its first event. */
  first_seq: number
  secrets: string | null
  /** The run that waited, where this one goes on in its turn. */
  continues?: string | null
  /** The API key that asked for it. */
  key_id?: string | null
}

/** Who does not know compactions would carry it on without what they keep, or with what another branch holds. */
const FORMAT = `CASE WHEN EXISTS (SELECT 1 FROM compactions WHERE session_id = ?) OR EXISTS (SELECT 1 FROM branches WHERE session_id = ?) THEN ${FORMAT_WITHOUT_CONSENT} ELSE CAST(? AS BIGINT) END`

export function* insertRun(row: NewRun): Work<void> {
  yield* runSql(
    `INSERT INTO runs (id, session_id, principal, client_message_id, body_digest, status, options, needs, format, first_seq, secrets, continues, key_id, created_at)
      VALUES (?, ?, ?, ?, ?, 'active', ?, ?, ${FORMAT}, ?, ?, ?, ?, now_ms())`,
    [
      row.id,
      row.session_id,
      row.principal,
      row.client_message_id,
      row.body_digest,
      JSON.stringify(row.options),
      JSON.stringify(row.needs),
      row.session_id,
      row.session_id,
      formatOf(row.needs, row.options),
      row.first_seq,
      row.secrets,
      row.continues ?? null,
      row.key_id ?? null,
    ],
  )
}

/** What the ids of runs begin with that talk to nobody. No reader ever hears of them: to them the session is idle. */
export const COMPACT_RUN = 'compact'
export const RESTORE_RUN = 'restore'
const QUIET = [`${COMPACT_RUN}_`, `${RESTORE_RUN}_`]

export function isQuietRun(run_id: string | null): boolean {
  return run_id !== null && QUIET.some((prefix) => run_id.startsWith(prefix))
}

/** The opposite, of the column that this names. */
export const isChat = (column: string) =>
  QUIET.map((prefix) => `substr(${column}, 1, ${prefix.length}) <> '${prefix}'`).join(' AND ')

export function* findRun(engine: Engine, run_id: string): Work<RunRow | undefined> {
  const [row] = yield* run(engine.db.selectFrom('runs').selectAll().where('id', '=', run_id))
  return row
}

export type WaitingRun = Pick<RunRow, 'id' | 'options' | 'needs' | 'secrets'>

/** The run that waits for a person, of a session in which none is active. */
export function* findWaitingRun(session_id: string): Work<WaitingRun | undefined> {
  const [row] = yield* runSql<WaitingRun>(
    "SELECT id, options, needs, secrets FROM runs WHERE session_id = ? AND status = 'waiting'",
    [session_id],
  )
  return row
}

/** The id of the one that began last. */
export function* lastRun(session_id: string): Work<string | undefined> {
  const [row] = yield* runSql<{ id: string }>(
    `SELECT id FROM runs WHERE session_id = ? AND ${isChat('id')} ORDER BY first_seq DESC LIMIT 1`,
    [session_id],
  )
  return row?.id
}

/** The run that a message has started, if it has. */
export function* findStarted({
  session_id,
  principal,
  client_message_id,
}: {
  session_id: string
  principal: string
  client_message_id: string
}): Work<Pick<RunRow, 'id' | 'body_digest' | 'first_seq'> | undefined> {
  const [row] = yield* runSql<Pick<RunRow, 'id' | 'body_digest' | 'first_seq'>>(
    'SELECT id, body_digest, first_seq FROM runs WHERE session_id = ? AND principal = ? AND client_message_id = ?',
    [session_id, principal, client_message_id],
  )
  return row
}

/** Whether a run was stored, and the lease if it is still this owner's. */
export function* findOwnRun(
  run_id: string,
  owner: string,
): Work<{ first_seq: number; lease: Lease | undefined } | undefined> {
  const [found] = yield* runSql<{ first_seq: number; session_id: string; epoch: number; isOurs: number }>(
    `SELECT r.first_seq, g.session_id, g.epoch, CASE WHEN g.run_id = r.id AND g.owner = ? THEN 1 ELSE 0 END AS "isOurs"
      FROM runs r JOIN gates g ON g.session_id = r.session_id WHERE r.id = ?`,
    [owner, run_id],
  )
  if (!found) return undefined
  const { first_seq, session_id, epoch, isOurs } = found
  // Whoever has taken it over meanwhile keeps it: two owners with one epoch would not be fenced from each other.
  return { first_seq, lease: isOurs === 1 ? { session_id, run_id, epoch } : undefined }
}

/** Of its first event; `undefined` when there is no such run. */
export function* firstNumber(run_id: string): Work<number | undefined> {
  const [row] = yield* runSql<{ first_seq: number }>('SELECT first_seq FROM runs WHERE id = ?', [run_id])
  return row?.first_seq
}

/** Number of the first event that belongs to a run which works or waits; what came before it is done with. */
export function* firstUnended(session_id: string): Work<number | undefined> {
  const [row] = yield* runSql<{ first_seq: number | null }>(
    "SELECT min(first_seq) AS first_seq FROM runs WHERE session_id = ? AND status <> 'ended'",
    [session_id],
  )
  return row?.first_seq ?? undefined
}

/** Which of these sessions have a run that works or waits. */
export function* sessionsAtWork(engine: Engine, session_ids: readonly string[]): Work<string[]> {
  const { db } = engine
  const running = yield* run(
    db
      .selectFrom('runs')
      .select('session_id')
      .distinct()
      .where('session_id', 'in', session_ids)
      .where('status', '<>', 'ended'),
  )
  const held = yield* run(
    db.selectFrom('gates').select('session_id').where('session_id', 'in', session_ids).where('run_id', 'is not', null),
  )
  return [...running, ...held].map(({ session_id }) => session_id)
}

export function* principalOf(run_id: string): Work<string | undefined> {
  const [row] = yield* runSql<{ principal: string }>('SELECT principal FROM runs WHERE id = ?', [run_id])
  return row?.principal
}

/** The stored `chat:end`; `null` until there is one. */
export async function storedOutcome(engine: Engine, run_id: string): Promise<string | null> {
  const [row] = await engine.select<{ outcome: string | null }>('SELECT outcome FROM runs WHERE id = ?', [run_id])
  return row?.outcome ?? null
}

/** What carrying these runs on takes, by run. */
export function* needsOfRuns(
  engine: Engine,
  run_ids: readonly string[],
): Work<ReadonlyMap<string, { needs: string; format: number }>> {
  const rows = yield* run(engine.db.selectFrom('runs').select(['id', 'needs', 'format']).where('id', 'in', run_ids))
  return new Map(rows.map((row) => [row.id, row]))
}

/** C9. A run that waits keeps its secrets for the one that goes on after the answer. */
export function* storeOutcome(run_id: string, status: 'waiting' | 'ended', outcome: object): Work<void> {
  yield* runSql(
    `UPDATE runs SET status = ?, outcome = ?, ended_at = now_ms(), ${status === 'waiting' ? 'paused_at = now_ms()' : 'secrets = NULL'} WHERE id = ?`,
    [status, JSON.stringify(outcome), run_id],
  )
}

/** Whatever came instead: an answer, a new message, a stop, the end of its time. */
export function* endWaitingRun(run_id: string): Work<void> {
  yield* recordWait(run_id)
  yield* runSql("UPDATE runs SET status = 'ended', secrets = NULL, ended_at = now_ms() WHERE id = ?", [run_id])
}

/** After this many take-overs without progress, the next one ends a run. */
export const TAKEOVERS = 3

export type OwnRun = Pick<RunRow, 'id' | 'session_id' | 'needs' | 'takeovers'>

/** The runs that this owner drives. */
export function* runsOf(owner: string): Work<OwnRun[]> {
  return yield* runSql<OwnRun>(
    'SELECT r.id, r.session_id, r.needs, r.takeovers FROM gates g JOIN runs r ON r.id = g.run_id WHERE g.owner = ?',
    [owner],
  )
}

/** How an owner came to its run. */
export type OwnerCause = 'accepted' | 'take_over' | 'hand_back'

/** A lease just won. `untold`: no event says yet whose the run is now, and how it came to that. */
export type WonLease = Lease & { untold?: OwnerCause }

/** The take-over counts against the run until it makes progress again, and is counted for good. */
export function* claimRun(seen: SeenLease, owner: string, leaseMs: number): Work<WonLease | undefined> {
  const lease = yield* takeOver(seen, owner, leaseMs)
  if (!lease) return undefined
  const [run] = yield* runSql<{ handed_back: number }>('SELECT handed_back FROM runs WHERE id = ?', [lease.run_id])
  const untold = run?.handed_back === 1 ? 'hand_back' : 'take_over'
  yield* runSql(
    'UPDATE runs SET takeovers = takeovers + 1, recoveries = recoveries + ?, handed_back = 0 WHERE id = ?',
    [untold === 'take_over' ? 1 : 0, lease.run_id],
  )
  return { ...lease, untold }
}

/** Leaves a run for anybody to carry on at once. In good order: whoever takes it does not count as a take-over. */
export function* giveBack(lease: Lease): Work<void> {
  if (yield* handBack(lease))
    yield* runSql('UPDATE runs SET takeovers = takeovers - 1, handed_back = 1 WHERE id = ?', [lease.run_id])
}

/** It is getting on again. */
export function* forgetTakeovers(run_id: string): Work<void> {
  yield* runSql('UPDATE runs SET takeovers = 0 WHERE id = ?', [run_id])
}
