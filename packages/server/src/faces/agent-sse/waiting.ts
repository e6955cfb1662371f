import {
  type ConfirmationCard,
  isSpecialTool,
  openQuestions,
  parseArguments,
  textOf,
  type TurnProjection,
} from '@parley/protocol'

/** What a session waits for consent to, or waited for until its time was over. */
export type Waiting = {
  card: ConfirmationCard
  /** Answering this decides it. */
  question_id: string
  /** Nothing else waits for a person. */
  isOnly: boolean
  isExpired: boolean
  /** What the user had asked for. */
  request: string
  askedAt: number
}

/** Turns that are looked at: what waits is never far from the end. */
export const RECENT_TURNS = 50

export function waitingIn(turns: readonly TurnProjection[]): Waiting | undefined {
  const open = openQuestions(turns)
  const asked = open.find((question) => 'confirmation' in question.arguments)
  if (asked) {
    const card = asked.arguments['confirmation'] as ConfirmationCard
    const at = turns.find(({ turn_id }) => turn_id === asked.turn_id)
    return {
      card,
      question_id: asked.tool_call_id,
      isOnly: open.length === 1,
      isExpired: false,
      ...contextOf(turns, at),
    }
  }
  // Whoever answers late hears that it was late, as long as nothing else was said since.
  const last = turns.findLast(({ tool_calls }) => tool_calls.length > 0)
  const expired = last?.tool_calls.find(({ result, status }) => status === 'cancelled' && isExpiry(result))
  const question = last?.tool_calls.find(
    (call) => isSpecialTool(call.tool_name, 'AskUserQuestion') && cardIn(call.arguments),
  )
  if (!expired || !question) return undefined
  const card = cardIn(question.arguments)!
  return { card, question_id: question.id, isOnly: true, isExpired: true, ...contextOf(turns, last) }
}

function contextOf(turns: readonly TurnProjection[], at: TurnProjection | undefined) {
  const request = turns.findLast(
    ({ role, sequence, blocks }) =>
      role === 'user' && sequence < (at?.sequence ?? 0) && !blocks.some(({ type }) => type === 'ask_user_answer'),
  )
  return { request: request ? textOf(request) : '', askedAt: Date.parse(at?.started_at ?? '') || 0 }
}

function cardIn(text: string): ConfirmationCard | undefined {
  return parseArguments(text)['confirmation'] as ConfirmationCard | undefined
}

function isExpiry(result: unknown): boolean {
  return typeof result === 'string' && result.startsWith('expired')
}
