import { parseBoundedJson } from '@parley/protocol/wire'
import type { JsonValue, ModelMessage } from '../ports.ts'
import type { OpenTurn } from './loop-state.ts'

/** What the model sees of one result, in bytes. Less than history keeps, so that a turn read back gives the same text. */
const MODEL_RESULT_BYTES = 40_000

export const CANCELLED = 'cancelled by the user'
export const EARLIER_REFUSED = 'not run: an earlier call of this answer was not allowed'
export const OUTCOME_UNKNOWN = 'outcome unknown: the server stopped while this was running'
export const STOPPED_BY_SHUTDOWN = 'stopped by shutdown; effects may be partial'

/** A settled turn as the model gets it: the answer, then the results in the order of the calls. */
export function turnMessages({ parts, calls }: Pick<OpenTurn, 'parts' | 'calls'>): ModelMessage[] {
  const results = calls.map((call): ModelMessage => {
    const { state } = call
    const result = state.type === 'settled' ? state.result : CANCELLED
    const isError = state.type !== 'settled' || state.status !== 'done'
    return {
      role: 'tool',
      tool_call_id: call.provider_id,
      tool_name: call.name,
      text: resultText(result),
      is_error: isError,
    }
  })
  return parts.length === 0 ? results : [{ role: 'assistant', content: parts }, ...results]
}

/** A result as text, without what is meant for the page (`_meta`), cut where it would drown the conversation. */
export function resultText(result: JsonValue): string {
  const text = typeof result === 'string' ? withoutMetaText(result) : JSON.stringify(withoutMeta(result))
  if (text.length * 3 <= MODEL_RESULT_BYTES) return text
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(MODEL_RESULT_BYTES))
  return read === text.length ? text : `${text.slice(0, read)}\n… (the rest was left out)`
}

export function userMessage(text: string): ModelMessage {
  return { role: 'user', content: [{ type: 'text', text }] }
}

/** Script tools print their result as JSON text; it may hold `_meta` too. */
function withoutMetaText(text: string): string {
  if (!text.includes('"_meta"')) return text
  const value = parseBoundedJson(text) as JsonValue | undefined
  return typeof value === 'object' && value !== null && '_meta' in value ? JSON.stringify(withoutMeta(value)) : text
}

function withoutMeta(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !('_meta' in value)) return value
  const { _meta, ...rest } = value
  return rest
}
