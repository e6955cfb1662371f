import { parseBoundedJson } from './bounded-json.ts'

/**
 * The arguments object a model wrote. `{ _raw }` holds the text when it is not a JSON object or nests too deep, so that
 * the reader still sees what the model wrote.
 */
export function parseArguments(text: string): Record<string, unknown> {
  const value = parseBoundedJson(text)
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? (value as Record<string, unknown>) : { _raw: text }
}
