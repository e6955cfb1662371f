import { AgentError } from '@parley/protocol'
import { APPROVE } from '../confirm/ask.ts'
import { type ConfirmationRow, decideConfirmation, findConfirmation, toConfirmation } from '../confirm/confirmations.ts'
import type { JsonObject } from '../ports.ts'
import type { Work } from '../store/work.ts'
import { type CheckedAnswer, refusalOf } from './answers.ts'
import { consentOf } from './restore.ts'
import type { SessionRow } from './session-record.ts'

export type DecideOptions = {
  /** Arguments that a person changed: as they are stored, or why they cannot run. */
  checkEdit: (session: SessionRow, tool_name: string, edited: JsonObject) => { arguments: string } | { problem: string }
}

/** C8, when the question asked for consent: the row is decided here and now, by this answer or by none. */
export function* decideAsked(
  checked: CheckedAnswer,
  session: SessionRow,
  user_id: string,
  { checkEdit }: DecideOptions,
): Work<CheckedAnswer> {
  const asked = yield* findConfirmation(session.id, checked.call.id)
  if (!asked) return checked
  const isApproved = checked.answer.selections['0']?.[0] === APPROVE
  const { edited_arguments } = checked.answer
  const edited =
    isApproved && edited_arguments ? checkEdit(session, asked.tool_name, edited_arguments as JsonObject) : null
  if (edited && 'problem' in edited)
    throw new AgentError('invalid_payload', edited.problem, { details: { confirmation_id: asked.id } })
  const row = yield* decideConfirmation(asked, isApproved ? 'approved' : 'rejected', user_id, edited?.arguments ?? null)
  if (!row) throw alreadyDecided((yield* findConfirmation(session.id, checked.call.id)) ?? asked)
  const { tool_call_id } = row
  return {
    ...checked,
    decision: isApproved
      ? { tool_call_id, isApproved, consent: consentOf(row) }
      : { tool_call_id, isApproved, reason: refusalOf(checked.answers) },
  }
}

/** Says who was first. A confirmation whose time is over, but that nobody has swept yet, counts as expired. */
export function alreadyDecided(row: ConfirmationRow): AgentError {
  const { status, decided_at, decided_by } = toConfirmation(row)
  const decision = status === 'pending' ? 'expired' : status
  return new AgentError('already_decided', `This confirmation is ${decision} already.`, {
    details: { confirmation_id: row.id, decision, decided_at, decided_by },
  })
}
