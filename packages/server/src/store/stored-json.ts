import { parseBoundedJson } from '@parley/protocol/wire'

/** Deeper than any door lets in, and far from what overflows a writer: rows of older servers may hold such values. */
const STORED_DEPTH = 1_000

/**
 * The object that a row holds. `undefined` when it is damaged, or too deep to be written down again: one bad row must not
 * keep a run from ending, a session from being read, or others from going on.
 */
export function readStored(text: string): object | undefined {
  const value = parseBoundedJson(text, STORED_DEPTH)
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
}

/** The list that a row holds, in the same way. */
export function readStoredList(text: string): unknown[] | undefined {
  const value = parseBoundedJson(text, STORED_DEPTH)
  return Array.isArray(value) ? value : undefined
}
