import type { ChatEndPayload } from '@parley/protocol'
import type { SessionReader } from '../feature.ts'
import type { Engine } from '../store/engine.ts'
import { databaseNow } from '../store/database-now.ts'
import { holdGate } from '../store/gate.ts'
import { isChat } from '../store/run-rows.ts'
import { readStored } from '../store/stored-json.ts'
import { runSql, type Work } from '../store/work.ts'
import { runningSlot, runningSlotIn, type SlotEnd, endSlot, type SlotRow } from './slot-rows.ts'

/** Where a record's conversation stands: it goes on, waits for a person since a time, or is over. */
export type Standing = 'active' | { waitsSince: number } | SlotEnd

/** A run that waits for an answer ends after this time. */
const WAIT_MS = 24 * 60 * 60_000
const PER_LOOK = 100
const UNANSWERED = 'expired: nobody answered within 24 hours'

type RunEnd = { status: 'active' | 'waiting' | 'ended'; outcome: string | null; ended_at: number | null }

/**
 * Follows the conversation from the run that began it to the first end that is none for a question: every answer begins
 * another run. What people talk about after that end is their own business.
 */
export function* standingOf({ session_id, run_id }: SlotRow): Work<Standing> {
  const runs = yield* runSql<RunEnd & { id: string }>(
    `SELECT id, status, outcome, ended_at FROM runs WHERE session_id = ? AND ${isChat('id')} ORDER BY first_seq`,
    [session_id],
  )
  if (!runs.some(({ id }) => id === run_id))
    return { fate: 'failed', error: 'session_deleted: its session was deleted', finished_at: yield* databaseNow() }
  for (const { status, outcome, ended_at } of runs) {
    if (status === 'active') return 'active'
    if (status === 'waiting') return { waitsSince: ended_at! }
    const end = readStored(outcome ?? '') as ChatEndPayload | undefined
    if (end?.session_status !== 'waiting_for_input') return endOf(end, ended_at!)
  }
  return {
    fate: 'failed',
    error: 'interrupted: it ended while it waited for an answer',
    finished_at: runs.at(-1)!.ended_at!,
  }
}

function endOf(end: ChatEndPayload | undefined, finished_at: number): SlotEnd {
  if (end?.status === 'completed') return { fate: 'ran', error: null, finished_at }
  const { code, message } = end?.error ?? {}
  const error = code === undefined ? (end?.status ?? 'failed') : `${code}: ${message}`
  return { fate: 'failed', error, finished_at }
}

/** Stores the end of this session's record, if its conversation is over. */
export async function endSlotIn(engine: Engine, session_id: string): Promise<void> {
  // Most runs are nobody's record: one statement tells.
  if ((await engine.select("SELECT 1 FROM slots WHERE session_id = ? AND fate = 'running'", [session_id])).length === 0)
    return
  await engine.write(function* () {
    yield* holdGate(session_id)
    const slot = yield* runningSlotIn(session_id)
    const standing = slot && (yield* standingOf(slot))
    if (slot && isOver(standing!)) yield* endSlot(slot, standing)
  })
}

type EndOptions = {
  engine: Engine
  sessions: Pick<SessionReader, 'expireWait'>
  onError: (error: unknown) => void
}

/** The same for all whose end nobody here saw, and for those that have waited too long. */
export async function endSlots({ engine, sessions, onError }: EndOptions): Promise<void> {
  const found = await engine.select<SlotRow>(
    `SELECT slots.* FROM slots WHERE fate = 'running'
      AND NOT EXISTS (SELECT 1 FROM gates g WHERE g.session_id = slots.session_id AND g.run_id IS NOT NULL)
      AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.session_id = slots.session_id AND r.status = 'waiting'
        AND r.ended_at > now_ms() - CAST(? AS BIGINT))
      LIMIT ?`,
    [WAIT_MS, PER_LOOK],
  )
  // Each for itself: one that cannot be ended must not keep the others waiting.
  for (const slot of found) await engine.write(() => endOne(slot, sessions)).catch(onError)
}

function* endOne({ session_id, task_id }: SlotRow, sessions: EndOptions['sessions']): Work<void> {
  yield* holdGate(session_id!)
  const slot = yield* runningSlot(task_id)
  if (slot?.session_id !== session_id) return
  const standing = yield* standingOf(slot)
  if (standing === 'active') return
  if (isOver(standing)) return yield* endSlot(slot, standing)
  const now = yield* databaseNow()
  if (now - standing.waitsSince >= WAIT_MS) yield* endWait(slot, { sessions, error: UNANSWERED, now })
}

type EndOfWait = Pick<EndOptions, 'sessions'> & { error: string; now: number }

/** Nobody is asked any more, and the record says why. */
export function* endWait(slot: SlotRow, { sessions, error, now }: EndOfWait): Work<void> {
  yield* sessions.expireWait(slot.session_id!)
  yield* endSlot(slot, { fate: 'failed', error, finished_at: now })
}

export function isOver(standing: Standing): standing is SlotEnd {
  return typeof standing === 'object' && 'fate' in standing
}
