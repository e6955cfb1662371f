import type { ChatEndPayload, Mode } from '@parley/protocol'
import type { Selectable } from 'kysely'
import type { RunError } from '../../core/loop-events.ts'
import { appendEvents } from '../../store/append.ts'
import type { LockedGate } from '../../store/gate.ts'
import { insertRun, storeOutcome } from '../../store/run-rows.ts'
import type { Schema } from '../../store/schema.ts'
import { setSessionStatus } from '../../store/session-rows.ts'
import type { Work } from '../../store/work.ts'
import { type BookPorts, openBook } from '../open-book.ts'
import { dropQueued, type WaitingMessage } from './queued-send.ts'

type End = {
  session: Selectable<Schema['sessions']>
  gate: LockedGate
  /** Why it cannot be started; `null`: somebody has taken it back. */
  error: RunError | null
}

/**
 * The end of a run that never began: its message waited for a compaction, and will not be answered. Whoever sent it was told
 * its id, so its end is told, and the same message sent again finds it. The message itself was never part of the
 * conversation, and does not become one.
 */
export function* endQueued(queued: WaitingMessage, { session, gate, error }: End, ports: BookPorts): Work<void> {
  const { run_id, client_message_id, digest } = queued
  const { id: session_id, user_id: principal, mode } = session
  const status = error ? ('failed' as const) : ('interrupted' as const)
  const updated_at = new Date(ports.clock.now()).toISOString()
  const chatEnd: Omit<ChatEndPayload, 'session_id' | 'event_seq'> = {
    ...{ status, session_status: status, run_id, error: error && { code: error.code, message: error.message } },
    ...{ result: null, finish_reason: null, pause_tool: null, pause_tool_data: null, usage: null },
  }
  const book = yield* openBook(session, { run_id }, ports)
  book.notify('chat:start', { run_id })
  // Faces name a run by its message, and this one has no turn.
  book.hidden('run:unbegun', { client_message_id })
  if (error) {
    book.addFailedTurn(null, `${error.code}: ${error.message}`)
    book.notify('system:error', { code: error.code, message: error.message, detail: null, run_id })
  }
  book.notify('chat:end', chatEnd)
  book.notify('session:updated', { status, updated_at })
  yield* dropQueued(session_id, queued)
  const model = session.model ?? ''
  yield* insertRun({
    ...{ id: run_id, session_id, principal, client_message_id, needs: { model }, secrets: null },
    body_digest: client_message_id === null ? null : digest,
    options: { model, mode: mode as Mode, headless: false, output_schema: null },
    first_seq: gate.head + gate.skip + 1,
  })
  yield* appendEvents({ session_id, epoch: null, ...book.take(), batch: run_id })
  yield* setSessionStatus(session_id, status, updated_at)
  yield* storeOutcome(run_id, 'ended', chatEnd)
}
