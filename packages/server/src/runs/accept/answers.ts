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
import { type Decision, writeDecision } from '../../confirm/decision.ts'
import type { TurnBook } from '../turn-book.ts'
import { ancestorsOf } from '../waiting.ts'

export type CheckedAnswer = {
  turn: TurnProjection
  call: ToolCallProjection
  answer: AskUserAnswer
  answers: QuestionAnswer[]
  /** When the question asked for consent. */
  decision?: Decision
}

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
export function writeAnswer(
  book: TurnBook,
  { turn, call, answer, answers, decision }: CheckedAnswer,
  { message, now, client_message_id }: { message: string | null; now: number; client_message_id: string | null },
): void {
  const { selections, custom } = answer
  book.addTurn({
    role: 'user',
    client_message_id,
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
  const duration_ms = Math.max(0, now - Date.parse(turn.started_at ?? ''))
  book.settleCall(turn.turn_id, { tool_call_id: call.id, status: 'done', result: { answers }, duration_ms })
  if (decision) writeDecision(book, turn.turn_id, decision)
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
