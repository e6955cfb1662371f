import { isDeeper } from '@parley/protocol'
import type { JsonValue } from '../ports.ts'

const MAX_CHARACTERS = 100_000

/** A foreign tool's result at a size that models can take: longer ones become text, cut in the middle. */
export function boundResult(value: JsonValue): JsonValue {
  // Too deep to be written down: the loop, which runs every tool, refuses it.
  if (isDeeper(value)) return value
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (text.length <= MAX_CHARACTERS) return value
  const half = MAX_CHARACTERS / 2
  return `${text.slice(0, half)}\n[… ${text.length - MAX_CHARACTERS} characters left out …]\n${text.slice(-half)}`
}
