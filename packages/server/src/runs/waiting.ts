import {
  isSpecialTool,
  openQuestions,
  parseArguments,
  type SessionStatus,
  type ToolCallProjection,
  type TurnProjection,
} from '@parley/protocol'
import { askUserQuestionSchema } from '@parley/protocol/schemas'
import type { Clock } from '../ports.ts'
import { EXPIRED, REJECTED } from '../confirm/decision.ts'
import { appendEvents } from '../store/append.ts'
import type { Journal } from '../store/journal.ts'
import { endWaitingRun } from '../store/run-rows.ts'
import { setSessionStatus } from '../store/session-rows.ts'
import type { Work } from '../store/work.ts'
import type { TurnBook } from './turn-book.ts'

export const WITHDRAWN = 'The user sent a new message instead of answering.'

/** Why nobody waits for an answer any more. */
export type WhyClosed = 'withdrawn' | 'stopped' | 'expired' | 'rejected'

/** What a call that waited has for a result; `null`: a stop leaves it without one. */
const RESULTS: Record<WhyClosed, string | null> = {
  withdrawn: WITHDRAWN,
  stopped: null,
  expired: EXPIRED,
  rejected: REJECTED,
}

/** Closes everything that waits for a person, with every call behind it, the innermost turn first. */
export function closeWaiting(book: TurnBook, why: WhyClosed): void {
  const result = RESULTS[why]
  for (const turn of book.pausedTurns()) {
    for (const call of unsettled(turn))
      if (result !== null) book.settleCall(turn.turn_id, { tool_call_id: call.id, status: 'cancelled', result })
      else
        book.patch(turn.turn_id, {
          patch_type: 'set_tool_status',
          data: { tool_call_id: call.id, status: 'cancelled', pending_question_ref: null },
        })
    book.endTurn(turn.turn_id, 'interrupted')
  }
}

/** Stores the end of a run that waited: nothing ran, so there is no `chat:end`, and the session is told. */
export function* interruptWaiting(
  book: TurnBook,
  session_id: string,
  { clock, journal }: { clock: Clock; journal: Journal },
): Work<void> {
  const status = 'interrupted' satisfies SessionStatus
  const updated_at = new Date(clock.now()).toISOString()
  book.notify('session:updated', { status, updated_at })
  yield* storeNotices(book, session_id, journal)
  yield* endWaitingRun(book.run_id)
  yield* setSessionStatus(session_id, status, updated_at)
}

/** Stores what a book says of a run that nobody owns. */
export function* storeNotices(book: TurnBook, session_id: string, journal: Journal): Work<void> {
  const { events, turns } = book.take()
  yield* appendEvents({ ...journal.appending(session_id, null, events), turns })
}

/** Is somebody being asked still? */
export function isAsking(book: TurnBook): boolean {
  return openQuestions(book.pausedTurns()).length > 0
}

/** After a question was closed, the calls above it name the next question under them, or wait no more. */
export function tellAbove(book: TurnBook, turn: TurnProjection): void {
  for (const { turn: above, call } of ancestorsOf(book, turn).reverse()) {
    const [next] = openQuestions(turnsUnder(book, call.id))
    const source = next && askUserQuestionSchema.parse(next.arguments).source_loop
    const pending_question_ref = next
      ? {
          child_loop_name: next.loop_id,
          child_tool_call_id: next.tool_call_id,
          description: source?.description || null,
        }
      : null
    const status = next ? 'awaiting_answer' : 'pending'
    book.patch(above.turn_id, {
      patch_type: 'set_tool_status',
      data: { tool_call_id: call.id, status, pending_question_ref },
    })
  }
}

/** The `Agent` calls above a turn, the nearest first. */
export function ancestorsOf(
  book: TurnBook,
  turn: TurnProjection,
): { turn: TurnProjection; call: ToolCallProjection }[] {
  const parent = turn.parent_fork_tool_call_id === null ? undefined : book.findCall(turn.parent_fork_tool_call_id)
  return parent && parent.call.status === 'awaiting_answer' ? [parent, ...ancestorsOf(book, parent.turn)] : []
}

/** Turns of the sub-agent that works for this call, and of those under it, oldest first. */
function turnsUnder(book: TurnBook, tool_call_id: string): TurnProjection[] {
  const isUnder = ({ parent_fork_tool_call_id: id }: TurnProjection): boolean => {
    if (id === null || id === tool_call_id) return id !== null
    const parent = book.findCall(id)
    return parent !== undefined && isUnder(parent.turn)
  }
  return book.openTurns().filter(isUnder).reverse()
}

/** Questions for consent first: each is closed before the call behind it. */
function unsettled(turn: TurnProjection): ToolCallProjection[] {
  const open = turn.tool_calls.filter(({ status }) => status === 'awaiting_answer' || status === 'pending')
  const asksConsent = (call: ToolCallProjection) =>
    isSpecialTool(call.tool_name, 'AskUserQuestion') && 'confirmation' in parseArguments(call.arguments)
  return [...open.filter(asksConsent), ...open.filter((call) => !asksConsent(call))]
}
