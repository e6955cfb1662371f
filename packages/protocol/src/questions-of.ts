import type { Question } from './question.ts'

/**
 * The questions of an `AskUserQuestion` call, as `askUserQuestionSchema` reads them; `undefined` if they do not fit.
 * Read by hand: a browser that checks an answer before it sends it does without schemas.
 */
export function questionsOf(call: { questions?: unknown } | undefined): Question[] | undefined {
  const { questions } = call ?? {}
  if (!Array.isArray(questions) || questions.length === 0) return undefined
  const read = questions.map(questionOf)
  return read.some((question) => question === undefined) ? undefined : (read as Question[])
}

type Fields = Record<string, unknown>

function questionOf(value: unknown): Question | undefined {
  if (!isObject(value)) return undefined
  const { question, header = null, options = [], multiSelect } = value
  if (typeof question !== 'string' || !isTextOrNull(header) || !areOptions(options)) return undefined
  if (multiSelect !== undefined && multiSelect !== null && typeof multiSelect !== 'boolean') return undefined
  const read = options.map((option) => ({ ...option, description: option.description ?? null }))
  return { ...value, question, header, options: read, multiSelect: multiSelect ?? false }
}

function areOptions(value: unknown): value is { label: string; description?: string | null }[] {
  if (!Array.isArray(value)) return false
  const areWhole = value.every(
    (option) =>
      isObject(option) &&
      typeof option['label'] === 'string' &&
      (option['description'] === undefined || isTextOrNull(option['description'])),
  )
  return areWhole && new Set(value.map(({ label }) => label as string)).size === value.length
}

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isTextOrNull = (value: unknown): value is string | null => value === null || typeof value === 'string'
