import type { SessionStatus } from '@parley/protocol'
import { dueConfirmations, expireConfirmation } from '../confirm/confirmations.ts'
import { appendEvents } from '../store/append.ts'
import { storeCommand } from '../store/commands.ts'
import { lockGate } from '../store/gate.ts'
import type { Journal } from '../store/journal.ts'
import { run, runSql, type Work } from '../store/work.ts'
import { type AcceptOptions, openBook } from './accept/accept.ts'
import { closeWaiting, EXPIRED, expireQuestion, type ExpireCommand, tellAbove } from './accept/answers.ts'

type ExpiryOptions = Pick<AcceptOptions, 'engine' | 'clock' | 'ids'> & {
  journal: Journal
  /** A run that is under way has something to apply. */
  tellOwner: (session_id: string) => void
}

const SWEEP_MS = 1_000
const PER_SWEEP = 100

/** Ends confirmations whose time is over, with nobody connected. Every instance sweeps; each is ended once. */
export function startExpiry(options: ExpiryOptions, onError: (error: unknown) => void): Disposable {
  const timer = setInterval(() => void expireDue(options).catch(onError), SWEEP_MS)
  timer.unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

export async function expireDue(options: ExpiryOptions): Promise<number> {
  const due = await options.engine.read(() => dueConfirmations(PER_SWEEP))
  // One after another, and each for itself: one that cannot be ended must not keep the others waiting.
  const failures: unknown[] = []
  for (const { id, session_id } of due)
    try {
      if (await options.engine.write(() => expireOne(id, session_id, options))) options.tellOwner(session_id)
    } catch (error) {
      failures.push(error)
    }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} confirmations could not be expired.`)
  return due.length
}

/** `true`: a run under way must be told. */
function* expireOne(id: string, session_id: string, { engine, clock, ids, journal }: ExpiryOptions): Work<boolean> {
  const gate = yield* lockGate(session_id)
  const row = yield* expireConfirmation(id)
  if (!row) return false
  const { question_id, tool_call_id, turn_id } = row
  if (gate.run_id !== null) {
    const data: ExpireCommand = { question_id: question_id!, tool_call_id }
    yield* storeCommand({ session_id, id: `expire:${id}`, kind: 'expire', data: JSON.stringify(data) })
    return true
  }
  const [session] = yield* run(engine.db.selectFrom('sessions').selectAll().where('id', '=', session_id))
  const [waiting] = yield* run(
    engine.db.selectFrom('runs').select('id').where('session_id', '=', session_id).where('status', '=', 'waiting'),
  )
  if (!session || !waiting) return false
  const book = yield* openBook(session, waiting.id, 0, { engine, clock, ids })
  if (book.has(turn_id)) expireQuestion(book, turn_id, question_id!, tool_call_id)
  // As long as something else waits for an answer, the run waits for that.
  const isOver = closeWaiting(book, EXPIRED)
  if (!isOver && book.has(turn_id)) tellAbove(book, book.turn(turn_id))
  const updated_at = new Date(clock.now()).toISOString()
  if (isOver) {
    const status: SessionStatus = 'interrupted'
    book.notify('session:updated', { status, updated_at })
    yield* runSql("UPDATE runs SET status = 'ended', secrets = NULL, ended_at = now_ms() WHERE id = ?", [waiting.id])
    yield* runSql('UPDATE sessions SET status = ?, updated_at = ? WHERE id = ?', [status, updated_at, session_id])
  }
  const { events, turns } = book.take()
  yield* appendEvents(journal.appending(session_id, null, events, turns))
  return false
}
