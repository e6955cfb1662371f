import { withoutMeta } from '@parley/protocol/schemas'
import type { Result } from './turn-messages.ts'

/** [O12.2] Of a call that was stopped before it had a result. */
export const INTERRUPTED = 'The tool call has been interrupted by the user.'

/** [O6.3] What a call came to. A failure says so in its text, too. */
export function resultOf(status: string, result: unknown): Result {
  const plain = withoutMeta(result)
  const text = typeof plain === 'string' ? plain : (JSON.stringify(plain) ?? '')
  if (status === 'done') return { text, isError: false }
  if (status === 'cancelled' && (result === null || result === undefined)) return interrupted()
  return { text: text.startsWith('Error: ') ? text : `Error: ${text}`, isError: true }
}

export function interrupted(): Result {
  return { text: INTERRUPTED, isError: true }
}
