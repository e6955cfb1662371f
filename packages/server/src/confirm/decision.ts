import type { QuestionAnswer } from '@parley/protocol'
import type { Patch } from '@parley/protocol/wire'
import type { Consent } from '../core/loop-state.ts'
import type { JsonObject } from '../ports.ts'
import { readStored } from '../store/stored-json.ts'
import type { ConfirmationRow } from './confirmations.ts'
import { callDigest } from './policy.ts'

/** What became of a call that wanted consent, whoever decided, and whether its run is under way or not. */
export type Decision =
  | { tool_call_id: string; isApproved: true; consent: Consent }
  | { tool_call_id: string; isApproved: false; reason: string }

export const EXPIRED = 'expired: nobody decided in time, so it was not run'
export const REJECTED = 'rejected by the user'

/** What a person agreed to. Changed arguments that cannot be read any more are consent to nothing. */
export function consentOf(row: ConfirmationRow): Consent {
  const { arguments: asked, edited_arguments, digest, tool_name, decided_at } = row
  if (edited_arguments === null) return { arguments: asked, digest, decided_at: decided_at ?? 0 }
  const edited = readStored(edited_arguments) as JsonObject | undefined
  return {
    arguments: edited_arguments,
    digest: edited ? callDigest(tool_name, edited) : '',
    decided_at: decided_at ?? 0,
  }
}

/** The decision that a decided row stands for; `answers` may say why somebody refused. */
export function decisionOf(row: ConfirmationRow, answers: readonly QuestionAnswer[]): Decision {
  const { tool_call_id, status } = row
  if (status === 'approved') return { tool_call_id, isApproved: true, consent: consentOf(row) }
  const said = answers[0]?.custom
  return { tool_call_id, isApproved: false, reason: said ? `${REJECTED}: ${said}` : REJECTED }
}

/** A confirmation whose time is over, on its way into a run that is under way. */
export type ExpireCommand = { question_id: string; tool_call_id: string }

/** What of a run's book a decision is written into. */
export type DecisionBook = {
  patch(turn_id: string, patch: Patch): void
  settleCall(turn_id: string, call: { tool_call_id: string; status: 'cancelled'; result: string }): void
}

/** The call goes on, or is over; what comes after it in its answer is the loop's to close. */
export function writeDecision(book: DecisionBook, turn_id: string, decision: Decision): void {
  const { tool_call_id } = decision
  if (decision.isApproved)
    book.patch(turn_id, { patch_type: 'set_tool_status', data: { tool_call_id, status: 'pending' } })
  else book.settleCall(turn_id, { tool_call_id, status: 'cancelled', result: decision.reason })
}

/** Nobody decided: the question is closed, and that is the decision about the call behind it. */
export function writeExpiry(book: DecisionBook, turn_id: string, { question_id, tool_call_id }: ExpireCommand): void {
  book.settleCall(turn_id, { tool_call_id: question_id, status: 'cancelled', result: EXPIRED })
  writeDecision(book, turn_id, { tool_call_id, isApproved: false, reason: EXPIRED })
}
