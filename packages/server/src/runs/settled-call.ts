import { withoutMeta } from '@parley/protocol/schemas'
import type { Patch } from '@parley/protocol/wire'

/** Results longer than this are cut on the wire and in history; clients are told. */
const SHOWN_RESULT_BYTES = 64 * 1024

export type SettledCall = {
  tool_call_id: string
  status: 'done' | 'error' | 'cancelled'
  result: unknown
  duration_ms?: number
}

/** How a turn tells that one of its calls is over. */
export function settledPatch({ tool_call_id, status, result, duration_ms = 0 }: SettledCall): Patch {
  return { patch_type: 'tool_result', data: { tool_call_id, status, duration_ms, ...cut(result) } }
}

function cut(result: unknown): { result: unknown; result_truncated?: true; result_bytes?: number } {
  if (serialised(result).length <= SHOWN_RESULT_BYTES / 4) return { result }
  if (Buffer.byteLength(serialised(result)) <= SHOWN_RESULT_BYTES) return { result }
  // What is meant for the page has blocks of its own; half of it would end up with the model.
  const bytes = Buffer.from(serialised(withoutMeta(result)))
  // A character cut in half at the edge would not be the text any more.
  const kept = bytes
    .subarray(0, SHOWN_RESULT_BYTES)
    .toString('utf8')
    .replace(/\uFFFD+$/, '')
  return { result: kept, result_truncated: true, result_bytes: bytes.length }
}

function serialised(result: unknown): string {
  return typeof result === 'string' ? result : JSON.stringify(result)
}
