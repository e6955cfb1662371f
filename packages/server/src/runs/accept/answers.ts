import {
  AgentError,
  type AnswerProblem,
  type AskUserAnswer,
  isSpecialTool,
  openQuestions,
  parseArguments,
  type Question,
  type QuestionAnswer,
  type ToolCallProjection,
  type TurnProjection,
  validateAnswer,
} from '@parley/protocol'
import { answersOf } from '@parley/protocol/wire'
import { askUserQuestionSchema } from '@parley/protocol/schemas'
import type { Consent } from '../../core/loop-state.ts'
import type { TurnBook } from '../turn-book.ts'

export const EXPIRED = 'expired: nobody decided in time, so it was not run'
export const REJECTED = 'rejected by the user'
export const WITHDRAWN = 'The user sent a new message instead of answering.'

export type CheckedAnswer = {
  turn: TurnProjection
  call: ToolCallProjection
  answer: AskUserAnswer
  answers: QuestionAnswer[]
  /** When the question asked for consent. */
  decision?: Decision
}

/** What a person said to a call that wanted consent. */
export type Decision =
  | { tool_call_id: string; isApproved: true; consent: Consent }
  | { tool_call_id: string; isApproved: false; reason: string }

/** The waiting question this answer is for, and what it says; throws `ask_not_pending` or `invalid_answer`. */
export function checkAnswer(book: TurnBook, answer: AskUserAnswer): CheckedAnswer {
  const id = questionBehind(book, answer.tool_call_id)
  const asked = book.findCall(id)
  if (!asked || asked.call.status !== 'awaiting_answer' || !isSpecialTool(asked.call.tool_name, 'AskUserQuestion'))
    throw new AgentError('ask_not_pending', 'That question is not waiting for an answer (any more).', {
      details: { tool_call_id: answer.tool_call_id },
    })
  const { questions } = askUserQuestionSchema.parse(parseArguments(asked.call.arguments))
  const errors = validateAnswer(questions, answer)
  if (errors.length > 0) throw invalidAnswer(id, errors, questions)
  return { ...asked, answer: { ...answer, tool_call_id: id }, answers: answersOf(questions, answer) }
}

/** [WR-34] The id of an `Agent` call stands for the question its sub-agent asks. */
function questionBehind(book: TurnBook, tool_call_id: string): string {
  const ref = book.findCall(tool_call_id)?.call.pending_question_ref
  if (ref) return ref.child_tool_call_id
  // While its parent's turn is under way, a call that waits is known by its sub-agent's turn alone.
  const child = book.pausedTurns().find(({ parent_fork_tool_call_id }) => parent_fork_tool_call_id === tool_call_id)
  // A call that waits for consent is not its question, which follows later in the turn.
  const waiting = child?.tool_calls.find(
    ({ status, tool_name }) =>
      status === 'awaiting_answer' &&
      (isSpecialTool(tool_name, 'AskUserQuestion') || isSpecialTool(tool_name, 'Agent')),
  )
  return waiting ? questionBehind(book, waiting.id) : tool_call_id
}

/**
 * Records an answer: the user's turn, then the question's result, and everything on the way up goes on. The turn itself
 * is ended by the loop, which knows what else of it is under way.
 */
export function writeAnswer(book: TurnBook, checked: CheckedAnswer, message: string | null, askedMs: number): void {
  const { turn, call, answer, answers } = checked
  const { selections, custom } = answer
  book.addTurn({
    role: 'user',
    blocks: [
      {
        type: 'ask_user_answer',
        content: { tool_call_id: call.id, selections, custom, answers, message },
        tool_call_id: null,
        tool_name: null,
        display_name: null,
      },
    ],
  })
  const isLastQuestion = openQuestions([turn]).length === 1
  if (isLastQuestion)
    for (const parent of ancestorsOf(book, turn).reverse())
      book.patch(parent.turn.turn_id, {
        patch_type: 'set_tool_status',
        data: { tool_call_id: parent.call.id, status: 'pending', pending_question_ref: null },
      })
  book.settleCall(turn.turn_id, call.id, 'done', { answers }, Math.max(0, askedMs))
  if (checked.decision) writeDecision(book, turn, checked.decision)
}

/** The call goes on, or is over; what comes after it in its answer is the loop's to close. */
function writeDecision(book: TurnBook, { turn_id }: TurnProjection, decision: Decision): void {
  const { tool_call_id } = decision
  if (decision.isApproved)
    book.patch(turn_id, { patch_type: 'set_tool_status', data: { tool_call_id, status: 'pending' } })
  else book.settleCall(turn_id, tool_call_id, 'cancelled', decision.reason, 0)
}

/** A new message instead of an answer: everything that waited is cancelled, innermost first. */
export function withdrawQuestions(book: TurnBook): void {
  for (const turn of book.pausedTurns()) {
    for (const call of unsettled(turn)) book.settleCall(turn.turn_id, call.id, 'cancelled', WITHDRAWN, 0)
    book.endTurn(turn.turn_id, 'interrupted')
  }
}

/** A stop while nothing runs: what waited is cancelled. */
export function cancelQuestions(book: TurnBook): void {
  for (const turn of book.pausedTurns()) {
    for (const call of unsettled(turn))
      book.patch(turn.turn_id, {
        patch_type: 'set_tool_status',
        data: { tool_call_id: call.id, status: 'cancelled', pending_question_ref: null },
      })
    book.endTurn(turn.turn_id, 'interrupted')
  }
}

/** Questions for consent first: each is closed before the call behind it. */
function unsettled(turn: TurnProjection): ToolCallProjection[] {
  const open = turn.tool_calls.filter(({ status }) => status === 'awaiting_answer' || status === 'pending')
  const asksConsent = (call: ToolCallProjection) =>
    isSpecialTool(call.tool_name, 'AskUserQuestion') && 'confirmation' in parseArguments(call.arguments)
  return [...open.filter(asksConsent), ...open.filter((call) => !asksConsent(call))]
}

/** The `Agent` calls above a turn, the nearest first. */
function ancestorsOf(book: TurnBook, turn: TurnProjection): { turn: TurnProjection; call: ToolCallProjection }[] {
  const parent = turn.parent_fork_tool_call_id === null ? undefined : book.findCall(turn.parent_fork_tool_call_id)
  return parent && parent.call.status === 'awaiting_answer' ? [parent, ...ancestorsOf(book, parent.turn)] : []
}

const REASONS: Record<AnswerProblem['reason'], string> = {
  missing: 'needs a selection or a text',
  unknown_question: 'does not exist',
  option_out_of_range: 'has no such option',
  too_many_selected: 'takes one selection only',
  duplicate_option: 'has one option selected twice',
}

function invalidAnswer(tool_call_id: string, errors: AnswerProblem[], questions: readonly Question[]): AgentError {
  const text = errors.map(
    ({ question, reason }) => `Question ${typeof question === 'number' ? question + 1 : question} ${REASONS[reason]}.`,
  )
  return new AgentError(
    'invalid_answer',
    text.join(' ') || `The answer does not fit the ${questions.length} questions.`,
    { details: { tool_call_id, errors } },
  )
}

/** A confirmation whose time is over, on its way into a run that is under way. */
export type ExpireCommand = { question_id: string; tool_call_id: string }

/** Nobody decided: the question and the call behind it are closed. */
export function expireQuestion(book: TurnBook, turn_id: string, question_id: string, tool_call_id: string): void {
  book.settleCall(turn_id, question_id, 'cancelled', EXPIRED, 0)
  book.settleCall(turn_id, tool_call_id, 'cancelled', EXPIRED, 0)
}

/** After that, the calls above it name the next question under them, or wait no more. */
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

/** Turns of the sub-agent that works for this call, and of those under it, oldest first. */
function turnsUnder(book: TurnBook, tool_call_id: string): TurnProjection[] {
  const isUnder = ({ parent_fork_tool_call_id: id }: TurnProjection): boolean => {
    if (id === null || id === tool_call_id) return id !== null
    const parent = book.findCall(id)
    return parent !== undefined && isUnder(parent.turn)
  }
  return book.openTurns().filter(isUnder).reverse()
}

/**
 * Ends paused turns in which no question is open any more, with every call that waited behind one. `false`: somebody is
 * still being asked, so the turns above that question wait on.
 */
export function closeWaiting(book: TurnBook, reason: string): boolean {
  const isAsking = openQuestions(book.pausedTurns()).length > 0
  if (isAsking) return false
  for (const turn of book.pausedTurns()) {
    for (const call of unsettled(turn)) book.settleCall(turn.turn_id, call.id, 'cancelled', reason, 0)
    book.endTurn(turn.turn_id, 'interrupted')
  }
  return true
}

/** What an answer to a question for consent means: the first option agrees, anything else refuses, with a word why. */
export function refusalOf(answers: readonly QuestionAnswer[]): string {
  const said = answers[0]?.custom
  return said ? `${REJECTED}: ${said}` : REJECTED
}
