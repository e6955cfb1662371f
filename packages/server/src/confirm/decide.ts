import { AgentError, type AskUserAnswer, type QuestionAnswer, type ToolCallProjection } from '@parley/protocol'
import type { Work } from '../store/work.ts'
import { APPROVE } from './ask.ts'
import type { CheckedEdit } from './check-edit.ts'
import { decideConfirmation, findConfirmation, type ListedConfirmation, toConfirmation } from './confirmations.ts'
import { type Decision, decisionOf } from './decision.ts'

/** Whose word it is, and whether it counts. */
export type Decider = { decided_by: string; mayDecide: boolean }

/** An answer that fits its question. */
type Answered = {
  call: Pick<ToolCallProjection, 'id'>
  answer: AskUserAnswer
  answers: readonly QuestionAnswer[]
}

/**
 * C8, when the question asked for consent: the row is decided here and now, by this answer or by none. `edit`: what was
 * found, before, of the arguments that a person changed.
 */
export function* decideAsked(
  { call, answer, answers }: Answered,
  session_id: string,
  { decider, edit }: { decider: Decider; edit: CheckedEdit | null },
): Work<Decision | undefined> {
  const asked = yield* findConfirmation(session_id, call.id)
  const hasEdit = Boolean(answer.edited_arguments)
  if (!asked && hasEdit) throw new AgentError('invalid_payload', NOTHING_TO_EDIT)
  if (!asked) return undefined
  const { decided_by, mayDecide } = decider
  if (!mayDecide)
    throw new AgentError('forbidden', 'This token was made without the scope decide: the account decides.', {
      details: { scope: 'decide', confirmation_id: asked.id },
    })
  const isApproved = answer.selections['0']?.[0] === APPROVE
  if (hasEdit && !isApproved)
    throw new AgentError('invalid_payload', EDITED_REFUSAL, { details: { confirmation_id: asked.id } })
  const edited = hasEdit ? (edit ?? UNCHECKED) : null
  if (edited && 'problem' in edited)
    throw new AgentError('invalid_payload', edited.problem, { details: { confirmation_id: asked.id } })
  const row = yield* decideConfirmation(asked, {
    decision: isApproved ? 'approved' : 'rejected',
    decided_by,
    edited_arguments: edited?.arguments ?? null,
    decision_reason: plain(answers[0]?.custom ?? null),
  })
  if (!row) {
    const decided = (yield* findConfirmation(session_id, call.id)) ?? asked
    // Visitors are not told what the account's people are called.
    throw alreadyDecided(decided.subject === null ? decided : { ...decided, decided_by_name: null })
  }
  return decisionOf(row, answers)
}

/** For a column of its own: PostgreSQL takes no NUL there, nor half a character. */
function plain(said: string | null): string | null {
  return said && said.slice(0, MAX_REASON).replaceAll('\0', '\uFFFD').toWellFormed()
}

const MAX_REASON = 2_000
const NOTHING_TO_EDIT = 'edited_arguments: this question asks for no consent, so there is no call to edit.'
const EDITED_REFUSAL =
  'edited_arguments: a refusal runs nothing, so there is nothing to edit. Approve, or leave the arguments out.'

/** The question came up after the look: whoever answers it again is looked at. */
const UNCHECKED: CheckedEdit = { problem: 'The question has only just come up. Send the answer again.' }

/** Says who was first. A confirmation whose time is over, but that nobody has swept yet, counts as expired. */
export function alreadyDecided(row: ListedConfirmation): AgentError {
  const { status, decided_at, decided_by, decided_by_name } = toConfirmation(row)
  const decision = status === 'pending' ? 'expired' : status
  return new AgentError('already_decided', `This confirmation is ${decision} already.`, {
    details: { confirmation_id: row.id, decision, decided_at, decided_by, decided_by_name },
  })
}
