import type { ParleyClient } from '@parley/client'
import type { ChatKitError, Decided } from '../../model/chat-kit-error.ts'
import type { ConfirmationAnswer } from '../../model/chat-adapter.ts'
import { asObject, asText } from '../../stream/parse-json.ts'

const OUTCOMES: ReadonlySet<string> = new Set<Decided['outcome']>(['approved', 'rejected', 'expired', 'withdrawn'])

/**
 * A decision came too late; who was faster is told by the confirmation's own address, where the same word is said again. The
 * error, with that.
 */
export async function findDecision(
  error: ChatKitError,
  { confirmationId, approved }: Pick<ConfirmationAnswer, 'confirmationId' | 'approved'>,
  api: ParleyClient['api'],
): Promise<ChatKitError> {
  if (!error.isNotWaiting) return error
  const path = `/api/confirmations/${encodeURIComponent(confirmationId)}`
  const told = await api.post(path, { decision: approved ? 'approve' : 'reject' }).then(
    // It did wait, unknown to this page: the word counts.
    (confirmation: unknown) => asObject(confirmation),
    (failure: unknown) => asObject(asObject(failure)['body']),
  )
  const outcome = asText(told['decision'] ?? told['status'])
  if (!OUTCOMES.has(outcome)) return error
  const [by, at] = [asText(told['decided_by_name']) || asText(told['decided_by']), asText(told['decided_at'])]
  const decision = { outcome, ...(by && { by }), ...(at && { at }) } as Decided
  return Object.assign(error, { decision })
}
