import { type ChatEndPayload, type ConfirmationCard, questionsOf } from '@parley/protocol'
import type { RestRequest } from '@parley/protocol/rest'
import { APPROVE, REJECT } from '../../../confirm/ask.ts'

/**
 * How to answer, over REST, what a run waits for: requests that are ready to be sent. Those to `…/chat` are answered with the
 * run that goes on, in the form that is asked for; those to the confirmation's own address with the decided record.
 */
export function answerWith({ session_id, pause_tool_data: asked }: ChatEndPayload): RestRequest[] {
  if (!asked) return []
  const chat = { method: 'POST', path: `/api/sessions/${session_id}/chat` } as const
  const answer = (given: object) => ({ askuser_answer: { tool_call_id: asked.tool_call_id, ...given } })
  const { confirmation } = asked.arguments as { confirmation?: ConfirmationCard }
  if (!confirmation) return [{ to: 'answer', ...chat, body: answer(firstOptions(asked.arguments)) }]

  const decide = { method: 'POST', path: `/api/confirmations/${confirmation.id}` } as const
  const [approve, reject] = [{ selections: { 0: [APPROVE] } }, { selections: { 0: [REJECT] } }]
  const edited_arguments = confirmation.arguments
  return [
    { to: 'approve', ...chat, body: answer(approve) },
    { to: 'reject', ...chat, body: answer(reject) },
    { to: 'edit', ...chat, body: answer({ ...approve, edited_arguments }) },
    { to: 'approve', ...decide, body: { decision: 'approve' } },
    { to: 'reject', ...decide, body: { decision: 'reject' } },
    { to: 'edit', ...decide, body: { decision: 'approve', edited_arguments } },
  ]
}

/** An answer that fits: the first option of every question, or words where there are none to choose from. */
function firstOptions(asked: Record<string, unknown>): { selections: object; custom: object } {
  const questions = questionsOf(asked) ?? []
  const numbered = questions.map(({ options }, index) => ({ index, hasOptions: options.length > 0 }))
  const entries = <Value>(hasOptions: boolean, value: Value) =>
    Object.fromEntries(numbered.filter((one) => one.hasOptions === hasOptions).map(({ index }) => [index, value]))
  return { selections: entries(true, [0]), custom: entries(false, '…') }
}
