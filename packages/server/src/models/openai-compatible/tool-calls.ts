import type { JsonObject, JsonValue, ModelEvent } from '../../ports.ts'

/** One piece of a tool call as it comes over the wire; every field may be missing in some server's dialect. */
export type ToolCallDelta = {
  index?: number | null
  id?: string | null
  function?: { name?: string | null; arguments?: string | null } | null
  extra_content?: JsonValue
}

type Call = { index: number | null; id: string; name: string; arguments: string; metadata: JsonObject | undefined }

/** Puts calls together from their pieces, which may be interleaved, and hands them out when the answer is complete. */
export function createToolCalls(newCallId: () => string) {
  const calls: Call[] = []

  function callOf({ index, id, function: named }: ToolCallDelta): Call | undefined {
    // Some servers give every call of an answer the index 0: another id together with a name starts another call.
    const isSame = (call: Call) => !id || !named?.name || call.id === '' || call.id === id
    if (typeof index === 'number') return calls.findLast((call) => call.index === index && isSame(call))
    if (id) return calls.findLast((call) => call.id === id)
    return named?.name ? undefined : calls.at(-1)
  }

  return {
    add(delta: ToolCallDelta) {
      let call = callOf(delta)
      if (!call)
        calls.push((call = { index: delta.index ?? null, id: '', name: '', arguments: '', metadata: undefined }))
      call.id ||= delta.id ?? ''
      call.name ||= delta.function?.name ?? ''
      call.arguments += delta.function?.arguments ?? ''
      if (delta.extra_content) call.metadata ??= { extra_content: delta.extra_content }
    },

    /** The complete calls in the order of their index; a call that never got a name cannot be run and is left out. */
    finished(): ModelEvent[] {
      const isIndexed = calls.every((call) => call.index !== null)
      const ordered = isIndexed ? calls.toSorted((a, b) => Number(a.index) - Number(b.index)) : calls
      return ordered
        .filter((call) => call.name.trim() !== '')
        .map(({ id, name, arguments: raw, metadata }) => ({
          type: 'tool_call',
          call: { id: id || newCallId(), name, arguments: raw },
          ...(metadata ? { metadata } : {}),
        }))
    },
  }
}
