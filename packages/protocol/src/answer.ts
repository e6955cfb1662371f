/** Does an answer fit its questions, and what does it say? Empty arrays and blank strings count as absent. */
import type { GivenAnswer, Question, QuestionAnswer } from './question.ts'

export type AnswerReason =
  | 'missing'
  | 'unknown_question'
  | 'option_out_of_range'
  | 'too_many_selected'
  | 'duplicate_option'

/** `question` is the question's number, or the key itself when that is not a number. */
export type AnswerProblem = { question: number | string; reason: AnswerReason }

type Answer = Pick<GivenAnswer, 'selections' | 'custom'>

/** Everything that is wrong with an answer, each reason at most once per question; `[]` when it fits. */
export function validateAnswer(questions: readonly Question[], answer: Answer): AnswerProblem[] {
  const problems = questions.flatMap((question, index) =>
    reasons(question, said(answer, index)).map((reason): AnswerProblem => ({ question: index, reason })),
  )
  return [
    ...problems,
    ...strayKeys(questions, answer).map((key) => ({ question: asNumber(key), reason: 'unknown_question' as const })),
  ]
}

/** The `answers` of the tool result: one entry per question, option labels in the order they were chosen. */
export function answersOf(questions: readonly Question[], answer: Answer): QuestionAnswer[] {
  return questions.map((question, index) => {
    const { selected, custom } = said(answer, index)
    const labels = selected.flatMap((option) => question.options[option]?.label ?? [])
    return { question: question.question, header: question.header, selected: labels, custom }
  })
}

function said({ selections, custom }: Answer, index: number): { selected: readonly number[]; custom: string | null } {
  const text = custom?.[String(index)]
  return { selected: selections?.[String(index)] ?? [], custom: text === undefined || isBlank(text) ? null : text }
}

function reasons(question: Question, { selected, custom }: ReturnType<typeof said>): AnswerReason[] {
  if (selected.length === 0) return custom === null ? ['missing'] : []
  const distinct = new Set(selected)
  const found: AnswerReason[] = []
  if (selected.some((option) => !(option in question.options))) found.push('option_out_of_range')
  if (!question.multiSelect && distinct.size > 1) found.push('too_many_selected')
  if (distinct.size < selected.length) found.push('duplicate_option')
  return found
}

function strayKeys(questions: readonly Question[], { selections, custom }: Answer): string[] {
  const chosen = Object.keys(selections ?? {}).filter((key) => selections?.[key]?.length)
  const written = Object.keys(custom ?? {}).filter((key) => !isBlank(custom?.[key] ?? ''))
  const known = new Set(questions.map((_, index) => String(index)))
  return [...new Set([...chosen, ...written])].filter((key) => !known.has(key))
}

const isBlank = (text: string) => text.trim() === ''
const asNumber = (key: string) => (/^\d+$/.test(key) ? Number(key) : key)
