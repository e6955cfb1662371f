import { randomUUID } from 'node:crypto'
import type { NewEvent } from '../../src/store/append.ts'
import type { Engine } from '../../src/store/engine.ts'
import { Journal } from '../../src/store/journal.ts'
import { type Lease, type SeenLease, beginRun, openGate, readLeases, takeOver } from '../../src/store/gate.ts'
import { runSql, type StoredEvent, type Work } from '../../src/store/work.ts'

// What the suites and the processes they start have in common. Knows no test runner.

export function journalOf(engine: Engine): Journal {
  return new Journal(engine, randomUUID)
}

export async function newSession(engine: Engine, session_id = `sess_${randomUUID()}`): Promise<string> {
  await engine.write(() => openGate(session_id))
  return session_id
}

/** A new session with an active run. */
export async function running(engine: Engine, { owner = 'one', leaseMs = 10_000 } = {}): Promise<Lease> {
  const session_id = await newSession(engine)
  const run_id = `chat_${randomUUID()}`
  return engine.write(function* () {
    yield* runRow(session_id, run_id, 1)
    return (yield* beginRun({ session_id, run_id }, owner, leaseMs))!
  })
}

/** The lease as any instance sees it now. */
export async function seen(engine: Engine, lease: Lease): Promise<SeenLease | undefined> {
  return (await readLeases(engine)).find(
    ({ session_id, epoch }) => session_id === lease.session_id && epoch === lease.epoch,
  )
}

/** A take-over by somebody who has watched the lease for long enough. */
export async function seize(engine: Engine, lease: Lease, owner: string): Promise<Lease | undefined> {
  const found = await seen(engine, lease)
  return found && engine.write(() => takeOver(found, owner, 10_000))
}

export function* runRow(session_id: string, id: string, first_seq: number): Work<void> {
  yield* runSql(
    `INSERT INTO runs (id, session_id, principal, status, options, needs, first_seq) VALUES (?, ?, 'user_1', 'active', '{}', '{}', ?)`,
    [id, session_id, first_seq],
  )
}

export function structural(text: string): NewEvent {
  return { type: 'test:structural', data: JSON.stringify({ text }), run_id: null, loop_id: null, turn_id: null }
}

export function increment(text: string): NewEvent {
  const data = JSON.stringify({ text, patch_type: 'add_content', data: { type: 'text', text_delta: text } })
  return { type: 'turn:patch', data, run_id: null, loop_id: null, turn_id: null, text: true }
}

export function textOf({ data }: { data: string }): string {
  return (JSON.parse(data) as { text: string }).text
}

export function numberOf({ event_seq }: { event_seq: number }): number {
  return event_seq
}

export function oneTo(n: number): number[] {
  return Array.from({ length: n }, (_, index) => index + 1)
}

export async function stored(engine: Engine, session_id: string): Promise<StoredEvent[]> {
  return engine.select<StoredEvent>(
    'SELECT session_id, event_seq, at, run_id, loop_id, turn_id, type, data FROM events WHERE session_id = ? ORDER BY event_seq',
    [session_id],
  )
}

/** What a reader that comes back with `since` gets first. */
export async function firstPage(journal: Journal, session_id: string, since: number): Promise<readonly StoredEvent[]> {
  const { value } = await journal.follow(session_id, { since, signal: AbortSignal.timeout(5_000) }).next()
  return value ?? []
}

export async function collect(pages: AsyncIterable<readonly StoredEvent[]>, count: number): Promise<StoredEvent[]> {
  const events: StoredEvent[] = []
  for await (const page of pages) {
    events.push(...page)
    if (events.length >= count) break
  }
  return events
}
