import type { AskUserAnswer, PendingQuestion } from '@parley/protocol'

/** A free text as the answer to everything that one call asks. To a question for consent it is a no, with the reason. */
export function answerOfText({ tool_call_id, arguments: asked }: PendingQuestion, text: string): AskUserAnswer {
  const questions = Array.isArray(asked['questions']) ? asked['questions'] : [null]
  const custom = Object.fromEntries(questions.map((_, index) => [String(index), text]))
  return { tool_call_id, selections: {}, custom }
}
