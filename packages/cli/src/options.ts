import { CommandError, EXIT } from './exit-codes.ts'
import type { NumberRange, Words } from './words.ts'

/** Options that every command understands. */
export const commonOptions = {
  url: { type: 'string' },
  key: { type: 'string' },
  'data-dir': { type: 'string' },
  json: { type: 'boolean', default: false },
} as const

type Range = NumberRange & { words: Words }

/** A whole number in its range; anything else is wrong usage, and the sentence says what would be right. */
export function wholeNumber(text: string, range: Range): number {
  return numberOf(text, /^\d+$/, range)
}

/** The same, with decimals. */
export function decimalNumber(text: string, range: Range): number {
  return numberOf(text, /^\d+(\.\d+)?$/, range)
}

function numberOf(text: string, form: RegExp, { words, ...range }: Range): number {
  const value = form.test(text.trim()) ? Number(text) : NaN
  if (value >= range.least && value <= range.most) return value
  throw new CommandError(EXIT.usage, words.badNumber(text, range))
}

/** The address of a server, or a sentence about what is wrong with it. */
export function serverUrl(text: string, words: Words): string {
  const url = URL.parse(text)
  if (url && ['http:', 'https:'].includes(url.protocol)) return text
  throw new CommandError(EXIT.usage, words.badUrl(text))
}
