import { parseArguments, type QuestionAnswer } from '@parley/protocol'

/** What a tool gave with its result for people to look at: HTML, which is nothing for a terminal. */
export function hasCard(result: unknown): boolean {
  const fields = typeof result === 'string' ? parseArguments(result) : result
  return (fields as { _meta?: { ui?: unknown } } | null)?._meta?.ui !== undefined
}

/** A tool's result, as text. */
export function resultText(result: unknown): string {
  if (typeof result === 'string') return result
  const { answers } = (result ?? {}) as { answers?: QuestionAnswer[] }
  if (!Array.isArray(answers)) return JSON.stringify(result)
  return answers.map(({ selected, custom }) => [...selected, ...(custom ? [custom] : [])].join(', ')).join('; ')
}
