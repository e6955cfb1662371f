import type { Append } from '../append.ts'

// PostgreSQL's own statements on the gate row, beside those of ../gate.ts.

/** All of these appends, at most one a session. `SKIP LOCKED` leaves those out whose gate somebody holds. */
export function appendQuery(appends: readonly Append[], locking: 'SKIP LOCKED' | '') {
  const events = appends.flatMap(({ session_id, epoch, batch, events }) =>
    events.map((event, index) => ({
      ...event,
      session_id,
      k: index + 1,
      batch: index === 0 && epoch === null ? batch : null,
    })),
  )
  const turns = appends.flatMap(({ session_id, turns = [] }) => turns.map((turn) => ({ ...turn, session_id })))
  const contents = appends.flatMap(({ session_id, contents = [] }) => contents.map((row) => ({ ...row, session_id })))
  return {
    name: `append ${locking}${turns.length > 0 ? ' turns' : ''}${contents.length > 0 ? ' contents' : ''}`,
    text: appendStatement(locking, { turns: turns.length > 0, contents: contents.length > 0 }),
    values: [
      appends.map((append) => append.session_id),
      appends.map((append) => append.epoch),
      appends.map((append) => append.events.length),
      appends.map((append) => append.batch),
      ...columns(events, ['session_id', 'k', 'run_id', 'loop_id', 'turn_id', 'type', 'data', 'batch']),
      ...(turns.length > 0
        ? columns(turns, ['session_id', 'sequence', 'turn_id', 'run_id', 'loop_id', 'status', 'projection', 'messages'])
        : []),
      ...(contents.length > 0 ? columns(contents, ['session_id', 'digest', 'content', 'packed']) : []),
    ],
  }
}

/** Fence, numbers, events and turn rows in one statement: one transaction, one round trip. */
function appendStatement(locking: 'SKIP LOCKED' | '', has: { turns: boolean; contents: boolean }): string {
  const first = has.turns ? 21 : 13
  const contents = `, texts AS (
    INSERT INTO contents (session_id, digest, content, packed)
    SELECT c.session_id, c.digest, c.content, c.packed
    FROM unnest($${first}::text[], $${first + 1}::text[], $${first + 2}::text[], $${first + 3}::bigint[])
      AS c(session_id, digest, content, packed) JOIN moved m USING (session_id)
    ON CONFLICT DO NOTHING)`
  const turns = `, kept AS (
    INSERT INTO turns (session_id, sequence, turn_id, run_id, loop_id, status, projection, messages)
    SELECT t.session_id, t.sequence, t.turn_id, t.run_id, t.loop_id, t.status, t.projection, t.messages
    FROM unnest($13::text[], $14::bigint[], $15::text[], $16::text[], $17::text[], $18::text[], $19::text[], $20::text[])
      AS t(session_id, sequence, turn_id, run_id, loop_id, status, projection, messages) JOIN moved m USING (session_id)
    ON CONFLICT (session_id, sequence)
    DO UPDATE SET status = excluded.status, projection = excluded.projection, messages = coalesce(excluded.messages, turns.messages))`
  return `WITH want AS (
    SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[]) AS w(session_id, epoch, n, batch)
  ), taken AS MATERIALIZED (
    SELECT g.session_id FROM gates g JOIN want w USING (session_id)
    WHERE w.epoch IS NULL OR (g.epoch = w.epoch AND split_part(coalesce(g.last_batch, ''), ':', 1) <> w.batch)
    ORDER BY g.session_id FOR UPDATE OF g ${locking}
  ), moved AS (
    UPDATE gates g SET head = g.head + g.skip + w.n, skip = 0, last_at = greatest(g.last_at, now_ms()),
      last_batch = CASE WHEN w.epoch IS NULL THEN g.last_batch ELSE w.batch || ':' || (g.head + g.skip + w.n) END
    FROM want w JOIN taken USING (session_id)
    WHERE g.session_id = w.session_id AND (w.epoch IS NULL OR g.epoch = w.epoch)
    RETURNING g.session_id, g.head, g.last_at, g.stop_requested, w.n
  ), stored AS (
    INSERT INTO events (session_id, event_seq, at, run_id, loop_id, turn_id, type, data, batch)
    SELECT e.session_id, m.head - m.n + e.k, m.last_at, e.run_id, e.loop_id, e.turn_id, e.type, e.data, e.batch
    FROM unnest($5::text[], $6::bigint[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[])
      AS e(session_id, k, run_id, loop_id, turn_id, type, data, batch) JOIN moved m USING (session_id)
  )${has.turns ? turns : ''}${has.contents ? contents : ''}
  SELECT session_id, head, last_at, stop_requested FROM moved`
}

// Notices may have moved the head on since, so the head of this very append is part of its mark.
export const FIND_BATCH = `SELECT split_part(last_batch, ':', 2)::bigint AS head, last_at, stop_requested FROM gates
  WHERE session_id = $1 AND split_part(last_batch, ':', 1) = $2 AND $3::int >= 0`

// A notice is found by a mark of its own, because it must not take the owner's.
export const FIND_NOTICE = `SELECT e.event_seq + $3::int - 1 AS head, e.at AS last_at, g.stop_requested
  FROM events e JOIN gates g USING (session_id) WHERE e.session_id = $1 AND e.batch = $2`

/** Where these journals stand; those that are missing are gone. */
export const HEADS = 'SELECT session_id, head FROM gates WHERE session_id = ANY($1)'

function columns<R extends Record<string, unknown>>(rows: R[], names: (keyof R)[]): unknown[][] {
  return names.map((name) => rows.map((row) => row[name]))
}
