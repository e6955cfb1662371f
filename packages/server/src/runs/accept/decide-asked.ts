import { AgentError } from '@parley/protocol'
import { APPROVE } from '../../confirm/ask.ts'
import type { CheckedEdit } from '../../confirm/check-edit.ts'
import {
  type ConfirmationRow,
  decideConfirmation,
  findConfirmation,
  toConfirmation,
} from '../../confirm/confirmations.ts'
import type { Work } from '../../store/work.ts'
import { type CheckedAnswer, refusalOf } from './answers.ts'
import { consentOf } from '../restore/restore.ts'
import type { SessionRow } from '../../store/session-record.ts'

/** Whose word it is, and whether it counts. */
export type Decider = { decided_by: string; mayDecide: boolean }

/**
 * C8, when the question asked for consent: the row is decided here and now, by this answer or by none. `edit`: what was
 * found, before, of the arguments that a person changed.
 */
export function* decideAsked(
  checked: CheckedAnswer,
  session: SessionRow,
  { decided_by, mayDecide }: Decider,
  edit: CheckedEdit | null,
): Work<CheckedAnswer> {
  const asked = yield* findConfirmation(session.id, checked.call.id)
  const hasEdit = Boolean(checked.answer.edited_arguments)
  if (!asked && hasEdit) throw new AgentError('invalid_payload', NOTHING_TO_EDIT)
  if (!asked) return checked
  if (!mayDecide)
    throw new AgentError('forbidden', 'This token was made without the scope decide: the account decides.', {
      details: { scope: 'decide', confirmation_id: asked.id },
    })
  const isApproved = checked.answer.selections['0']?.[0] === APPROVE
  if (hasEdit && !isApproved)
    throw new AgentError('invalid_payload', EDITED_REFUSAL, { details: { confirmation_id: asked.id } })
  const edited = hasEdit ? (edit ?? UNCHECKED) : null
  if (edited && 'problem' in edited)
    throw new AgentError('invalid_payload', edited.problem, { details: { confirmation_id: asked.id } })
  const row = yield* decideConfirmation(
    asked,
    isApproved ? 'approved' : 'rejected',
    decided_by,
    edited?.arguments ?? null,
  )
  if (!row) throw alreadyDecided((yield* findConfirmation(session.id, checked.call.id)) ?? asked)
  const { tool_call_id } = row
  return {
    ...checked,
    decision: isApproved
      ? { tool_call_id, isApproved, consent: consentOf(row) }
      : { tool_call_id, isApproved, reason: refusalOf(checked.answers) },
  }
}

const NOTHING_TO_EDIT = 'edited_arguments: this question asks for no consent, so there is no call to edit.'
const EDITED_REFUSAL =
  'edited_arguments: a refusal runs nothing, so there is nothing to edit. Approve, or leave the arguments out.'

/** The question came up after the look: whoever answers it again is looked at. */
const UNCHECKED: CheckedEdit = { problem: 'The question has only just come up. Send the answer again.' }

/** Says who was first. A confirmation whose time is over, but that nobody has swept yet, counts as expired. */
export function alreadyDecided(row: ConfirmationRow): AgentError {
  const { status, decided_at, decided_by } = toConfirmation(row)
  const decision = status === 'pending' ? 'expired' : status
  return new AgentError('already_decided', `This confirmation is ${decision} already.`, {
    details: { confirmation_id: row.id, decision, decided_at, decided_by },
  })
}
