import type { SkinTexts } from '../texts/texts.ts'

/** The arguments that tell most, the best first. */
const TELLING = ['command', 'pattern', 'query', 'file_path', 'path', 'url', 'description', 'title', 'name']

/** What a tool is called with, in one line. Empty: nothing that could be told so. */
export function argumentLine(input: unknown, texts: Pick<SkinTexts, 'within'>): string {
  if (typeof input === 'string') return oneLine(input)
  if (typeof input !== 'object' || input === null) return ''
  const given = input as Record<string, unknown>
  const name = TELLING.find((key) => isLine(given[key])) ?? Object.keys(given).find((key) => isLine(given[key]))
  const value = name === undefined ? '' : oneLine(String(given[name]))
  const place = given['path']
  return name === 'pattern' && isLine(place) ? texts.within(value, oneLine(place)) : value
}

const isLine = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''

/** More than this is not seen anyway. */
const MAX_LENGTH = 200

const oneLine = (text: string): string => text.slice(0, MAX_LENGTH).replaceAll(/\s+/g, ' ').trim()
