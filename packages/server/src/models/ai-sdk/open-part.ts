import type { JsonObject, ModelEvent } from '../../ports.ts'
import type { AnswerMeter } from '../answer-meter.ts'
import { metadataIn } from '../shape.ts'

type PartKind = 'thinking' | 'text'

/** What every piece of a part carries. */
type Piece = { id: string; providerMetadata?: unknown }

type OpenPart = { id: string; kind: PartKind; hasText: boolean; metadata: JsonObject }

/** The part of an answer that is being written. There is one at a time: another one that begins ends it. */
export function createOpenPart(meter: AnswerMeter) {
  let open: OpenPart | null = null

  function start(piece: Piece, kind: PartKind): ModelEvent[] {
    const events = close()
    meter.part()
    open = { id: piece.id, kind, hasText: false, metadata: {} }
    keepMetadata(piece)
    return events
  }

  function delta(piece: Piece & { delta: string }, kind: PartKind): ModelEvent[] {
    const events = open?.id === piece.id ? [] : start(piece, kind)
    keepMetadata(piece)
    const text = meter.isFull ? '' : meter.fitting(piece.delta)
    if (text === '') return events
    if (open) open.hasText = true
    events.push({ type: kind, delta: text })
    return events
  }

  /** A part that ended already, because the next one began before its end came, is not ended twice. */
  function end(piece: Piece): ModelEvent[] {
    if (open?.id !== piece.id) return []
    keepMetadata(piece)
    return close()
  }

  function keepMetadata({ providerMetadata }: Piece) {
    const kept = open && providerMetadata ? metadataIn(providerMetadata, meter) : undefined
    for (const [provider, values] of Object.entries(kept ?? {}))
      open!.metadata[provider] = { ...(open!.metadata[provider] as JsonObject | undefined), ...(values as JsonObject) }
  }

  /** Whichever is open, if any, is complete. One that holds nothing was none. */
  function close(): ModelEvent[] {
    if (!open) return []
    const { kind, hasText, metadata } = open
    open = null
    const hasMetadata = Object.keys(metadata).length > 0
    if (!hasText && !(kind === 'thinking' && hasMetadata)) return []
    return [{ type: 'part_end', part: kind, ...(hasMetadata ? { metadata } : {}) }]
  }

  return { start, delta, end, close }
}
