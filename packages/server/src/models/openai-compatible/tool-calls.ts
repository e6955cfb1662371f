import type { JsonObject, ModelEvent } from '../../ports.ts'
import type { AnswerMeter } from '../answer-meter.ts'
import { idIn, isRecord, metadataIn, nameIn } from '../shape.ts'

type Call = { index: number | null; id: string; name: string; arguments: string; metadata: JsonObject | undefined }

/** One piece of a call, as far as it is one. */
type Piece = { index: number | null; id: string; name: string; arguments: string; extra: unknown }

/** Puts calls together from their pieces, which may be interleaved, and hands them out when the answer is complete. */
export function createToolCalls(newCallId: () => string, meter: AnswerMeter) {
  const calls: Call[] = []
  const byIndex = new Map<number, Call>()
  const byId = new Map<string, Call>()

  function callOf({ index, id, name }: Piece): Call | undefined {
    if (index === null) return id ? byId.get(id) : name ? undefined : calls.at(-1)
    const last = byIndex.get(index)
    // Some servers give every call of an answer the index 0: another id together with a name starts another call.
    if (last && (!id || !name || last.id === '' || last.id === id)) return last
    const named = byId.get(id)
    return named?.index === index ? named : undefined
  }

  function begin({ index }: Piece): Call {
    const call: Call = { index, id: '', name: '', arguments: '', metadata: undefined }
    meter.call()
    calls.push(call)
    if (index !== null) byIndex.set(index, call)
    return call
  }

  return {
    /** One entry of `tool_calls`, whatever it is. */
    add(value: unknown) {
      const piece = pieceOf(value)
      if (!piece) return
      const call = callOf(piece) ?? begin(piece)
      if (!call.id && piece.id) {
        call.id = piece.id
        byId.set(call.id, call)
      }
      call.name ||= piece.name
      call.arguments += piece.arguments
      meter.arguments(piece.arguments.length, call.arguments.length)
      if (piece.extra && !call.metadata) {
        const extra = metadataIn(piece.extra, meter)
        if (extra) call.metadata = { extra_content: extra }
      }
    },

    /** The complete calls in the order of their index; a call that never got a name cannot be run and is left out. */
    finished(): ModelEvent[] {
      const isIndexed = calls.every((call) => call.index !== null)
      const ordered = isIndexed ? calls.toSorted((a, b) => Number(a.index) - Number(b.index)) : calls
      return ordered
        .filter((call) => call.name.trim() !== '')
        .map((call) => ({
          type: 'tool_call',
          // Two results under one id would be refused, now and in every later request of the session.
          call: { id: byId.get(call.id) === call ? call.id : newCallId(), name: call.name, arguments: call.arguments },
          ...(call.metadata ? { metadata: call.metadata } : {}),
        }))
    },
  }
}

/** Every field may be missing in some server's dialect, or be something else. */
function pieceOf(value: unknown): Piece | undefined {
  if (!isRecord(value)) return undefined
  const { index, id, extra_content: extra } = value
  const named = isRecord(value['function']) ? value['function'] : {}
  return {
    index: Number.isSafeInteger(index) ? Number(index) : null,
    id: idIn(id),
    name: nameIn(named['name']),
    arguments: typeof named['arguments'] === 'string' ? named['arguments'] : '',
    extra,
  }
}
