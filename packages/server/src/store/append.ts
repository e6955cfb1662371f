import { StoreError } from './errors.ts'
import { type MovedGate, moveHead } from './gate.ts'
import { type StoredEvent, type Work, runSql } from './work.ts'

/** An event on its way into the journal; the append gives it its number and its time. */
export type NewEvent = Omit<StoredEvent, 'session_id' | 'event_seq' | 'at'> & {
  /** A text increment: may be written without waiting for the disk. Everything else is structural. */
  text?: true
}

/** A finished turn, kept whole so that reading history does not read increments. */
export type TurnRow = {
  turn_id: string
  sequence: number
  run_id: string | null
  loop_id: string
  /** The projection's status, so that paused turns are found without reading every projection. */
  status: string
  projection: string
  messages: string | null
}

/** A text that events name by its digest; kept once in a session. */
export type ContentRow = {
  digest: string
  content: string
  /** 1: `content` is deflated, in base64. */
  packed: 0 | 1
}

export type Append = {
  session_id: string
  /** The epoch under which an active run's owner writes; `null` for a notice that belongs to no run. */
  epoch: number | null
  events: readonly NewEvent[]
  /** Turn rows these events imply; written in the same transaction, replacing earlier ones. */
  turns?: readonly TurnRow[]
  /** Texts these events name. One that is there already stays. */
  contents?: readonly ContentRow[]
  /** Known to this append alone. */
  batch: string
}

export type Appended = {
  /** Number of the last event now. */
  head: number
  at: number
  /** Somebody asked for the run to stop. */
  stop_requested: boolean
}

const INSERT_EVENT =
  'INSERT INTO events (session_id, event_seq, at, run_id, loop_id, turn_id, type, data, batch) VALUES '
const ROWS_PER_INSERT = 32

const UPSERT_TURN = `INSERT INTO turns (session_id, sequence, turn_id, run_id, loop_id, status, projection, messages)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (session_id, sequence)
  DO UPDATE SET status = excluded.status, projection = excluded.projection, messages = coalesce(excluded.messages, turns.messages)`

const INSERT_CONTENT =
  'INSERT INTO contents (session_id, digest, content, packed) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING'

/** The append as a work, for transactions that do more than append. First the gate, then the rest. */
export function* appendEvents(append: Append): Work<Appended> {
  const { session_id, epoch, events, batch } = append
  const [gate] = yield* moveHead({ session_id, epoch, batch }, events.length)
  if (!gate) throw notWritten(session_id, epoch)
  return yield* storeEvents(append, gate)
}

/** What follows the gate: the events with their numbers, and the rows that they imply. */
export function* storeEvents(append: Append, gate: MovedGate): Work<Appended> {
  const { session_id, epoch, events, turns = [], contents = [], batch } = append
  const base = gate.head - events.length
  const stored = events.map((event, index) =>
    numbered(event, { session_id, event_seq: base + 1 + index, at: gate.last_at }),
  )
  for (let from = 0; from < stored.length; from += ROWS_PER_INSERT) {
    const rows = stored.slice(from, from + ROWS_PER_INSERT)
    const marks = from === 0 && epoch === null ? batch : null
    yield* runSql(
      INSERT_EVENT + rows.map(() => '(?, ?, ?, ?, ?, ?, ?, ?, ?)').join(', '),
      rows.flatMap((row, index) => eventRow(row, index === 0 ? marks : null)),
    )
  }
  for (const turn of turns)
    yield* runSql(UPSERT_TURN, [
      session_id,
      turn.sequence,
      turn.turn_id,
      turn.run_id,
      turn.loop_id,
      turn.status,
      turn.projection,
      turn.messages,
    ])
  for (const { digest, content, packed } of contents)
    yield* runSql(INSERT_CONTENT, [session_id, digest, content, packed])

  yield { appended: { session_id, base, head: gate.head, events: stored } }
  return { head: gate.head, at: gate.last_at, stop_requested: gate.stop_requested === 1 }
}

export function numbered(
  { run_id, loop_id, turn_id, type, data }: NewEvent,
  { session_id, event_seq, at }: Pick<StoredEvent, 'session_id' | 'event_seq' | 'at'>,
): StoredEvent {
  return { session_id, event_seq, at, run_id, loop_id, turn_id, type, data }
}

/** Nothing was written: either the session is gone, or somebody else owns it now. */
export function notWritten(session_id: string, epoch: number | null): StoreError {
  if (epoch === null) return new StoreError('session_gone', `Session ${session_id} does not exist.`)
  return new StoreError(
    'fenced',
    `Epoch ${epoch} of session ${session_id} is over: another owner has taken it, or it was deleted.`,
  )
}

export function durabilityOf(events: readonly NewEvent[]): 'full' | 'normal' {
  return events.every((event) => event.text) ? 'normal' : 'full'
}

function eventRow(event: StoredEvent, batch: string | null): unknown[] {
  const { session_id, event_seq, at, run_id, loop_id, turn_id, type, data } = event
  return [session_id, event_seq, at, run_id, loop_id, turn_id, type, data, batch]
}
