import type { Inbox } from './loop-env.ts'
import type { Call } from './loop-state.ts'
import { ASK } from './offer.ts'

/**
 * Takes up what people have said to the question that a call waits for. It is on record already: whoever drives the loop
 * stores an answer before it lies in the inbox.
 */
export function hearAnswer(call: Call, inbox: Inbox): void {
  const question_id = questionOf(call)
  const answer = question_id === undefined ? undefined : inbox.answerTo(question_id)
  switch (answer?.type) {
    case undefined:
      return
    case 'answered':
      call.state = { type: 'settled', status: 'done', result: answer.result }
      return
    case 'refused':
      call.state = { type: 'settled', status: 'cancelled', result: answer.reason }
      return
    case 'agreed':
      call.consent = answer.consent
      call.state = { type: 'announced' }
      return
    case 'unasked':
      call.state = { type: 'announced' }
      return
    default:
      answer satisfies never
  }
}

/** A call's own question; those of sub-agents are heard by their own calls. */
function questionOf({ id, name, state }: Call): string | undefined {
  if (state.type === 'confirming') return state.question_id
  return state.type === 'waiting' && name === ASK ? id : undefined
}
