import type {
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolCall,
  LanguageModelV4Usage,
} from '@ai-sdk/provider'
import { type AnswerLimits, AnswerMeter } from '../answer-meter.ts'
import { networkFailure, unreadableFailure } from '../failure.ts'
import type { JsonObject, ModelEvent, Usage } from '../../ports.ts'
import { countIn, idIn, isRecord, metadataIn, nameIn, usageFrom } from '../shape.ts'
import { failureOfError } from './failure-of-error.ts'

type OpenPart = { id: string; kind: 'thinking' | 'text'; hasText: boolean; metadata: JsonObject }

export type PartReaderOptions = { model: string; secret: string; limits: AnswerLimits; newCallId: () => string }

/**
 * Turns the parts of a provider package's stream into our events, one part at a time. The packages check the shape of
 * what providers send, but neither its length nor what its numbers and ids are.
 */
export function createPartReader({ model, secret, limits, newCallId }: PartReaderOptions) {
  const meter = new AnswerMeter(limits)
  /** How much of its arguments each call has streamed. */
  const streamed = new Map<string, number>()
  const callIds = new Set<string>()
  let isAccepted = false
  let open: OpenPart | null = null
  let hasCalls = false
  let usage: Usage | null = null

  function start(part: { id: string; providerMetadata?: unknown }, kind: OpenPart['kind']): ModelEvent[] {
    const events = close()
    meter.part()
    open = { id: part.id, kind, hasText: false, metadata: {} }
    keepMetadata(part)
    return events
  }

  function delta(
    part: { id: string; delta: string; providerMetadata?: unknown },
    kind: OpenPart['kind'],
  ): ModelEvent[] {
    const events = open?.id === part.id ? [] : start(part, kind)
    keepMetadata(part)
    const text = meter.isFull ? '' : meter.fitting(part.delta)
    if (text === '') return events
    if (open) open.hasText = true
    events.push({ type: kind, delta: text })
    return events
  }

  /** A part that ended already, because the next one began before its end came, is not ended twice. */
  function end(part: { id: string; providerMetadata?: unknown }): ModelEvent[] {
    if (open?.id !== part.id) return []
    keepMetadata(part)
    return close()
  }

  function keepMetadata({ providerMetadata }: { providerMetadata?: unknown }) {
    const kept = open && providerMetadata ? metadataIn(providerMetadata, meter) : undefined
    for (const [provider, values] of Object.entries(kept ?? {}))
      open!.metadata[provider] = { ...(open!.metadata[provider] as JsonObject | undefined), ...(values as JsonObject) }
  }

  function close(): ModelEvent[] {
    if (!open) return []
    const { kind, hasText, metadata } = open
    open = null
    const hasMetadata = Object.keys(metadata).length > 0
    if (!hasText && !(kind === 'thinking' && hasMetadata)) return []
    return [{ type: 'part_end', part: kind, ...(hasMetadata ? { metadata } : {}) }]
  }

  function call({ toolCallId, toolName, input, providerMetadata }: LanguageModelV4ToolCall): ModelEvent[] {
    hasCalls = true
    const counted = streamed.get(toolCallId)
    if (counted === undefined) meter.call()
    meter.arguments(Math.max(0, input.length - (counted ?? 0)), input.length)
    const metadata = providerMetadata && metadataIn(providerMetadata, meter)
    const given = idIn(toolCallId)
    // Two results under one id would be refused, now and in every later request of the session.
    const id = given === '' || callIds.has(given) ? newCallId() : given
    callIds.add(id)
    const made = { id, name: nameIn(toolName), arguments: input }
    return [...close(), { type: 'tool_call', call: made, ...(metadata ? { metadata } : {}) }]
  }

  function finish(reason: LanguageModelV4FinishReason): ModelEvent[] {
    const events = close()
    if (reason.unified === 'interrupted')
      return [...events, { type: 'failed', failure: networkFailure(model, 'the stream ended early', true), usage }]
    if (reason.unified === 'error')
      return [...events, { type: 'failed', failure: unreadableFailure(model, 'it gave no reason', true), usage }]
    return [...events, { type: 'finish', reason: reasonOf(reason.unified, hasCalls), usage }]
  }

  function failed(error: unknown): ModelEvent {
    return { type: 'failed', failure: failureOfError(error, { model, secret, incomplete: isAccepted }), usage }
  }

  function meaningOf(part: LanguageModelV4StreamPart): ModelEvent[] {
    switch (part.type) {
      case 'text-start':
        return start(part, 'text')
      case 'text-delta':
        return delta(part, 'text')
      case 'reasoning-start':
        return start(part, 'thinking')
      case 'reasoning-delta':
        return delta(part, 'thinking')
      case 'text-end':
      case 'reasoning-end':
        return end(part)
      case 'tool-input-start':
        meter.call()
        streamed.set(part.id, 0)
        return []
      case 'tool-input-delta': {
        const whole = (streamed.get(part.id) ?? 0) + part.delta.length
        streamed.set(part.id, whole)
        meter.arguments(part.delta.length, whole)
        return []
      }
      case 'tool-call':
        // What the provider runs by itself is not ours to run.
        return part.providerExecuted ? [] : call(part)
      case 'custom':
        usage = usageSoFar(part.providerMetadata?.['anthropic']?.['usage']) ?? usage
        return []
      case 'source':
      case 'file':
      case 'tool-result':
        // Nothing that we keep, but the package may.
        meter.part()
        return []
      case 'finish':
        usage = usageOf(part.usage) ?? usage
        return finish(part.finishReason)
      case 'error':
        return [failed(part.error)]
      default:
        return []
    }
  }

  /** At a limit the answer ends there, whatever would have come. */
  function bounded(part: LanguageModelV4StreamPart): ModelEvent[] {
    const events = meaningOf(part)
    if (!meter.isFull || part.type === 'finish' || part.type === 'error') return events
    return [...events, ...close(), { type: 'finish', reason: 'length', usage }]
  }

  return {
    /** What a part means; nothing after `finish` or `failed` matters any more. */
    read(part: LanguageModelV4StreamPart): ModelEvent[] {
      // A stream may begin with an error under a status of 200: not accepted, only politely refused.
      if (isAccepted || part.type === 'stream-start' || part.type === 'error') return bounded(part)
      isAccepted = true
      return [{ type: 'accepted', model }, ...bounded(part)]
    },
    /** The stream broke. */
    fail: failed,
    /** The stream is over although it never said so. */
    end(): ModelEvent {
      return { type: 'failed', failure: networkFailure(model, 'the stream ended early', isAccepted), usage }
    },
  }
}

function usageOf({ inputTokens, outputTokens }: LanguageModelV4Usage): Usage | null {
  const { total: input, cacheRead, cacheWrite } = inputTokens
  return usageFrom({ input, output: outputTokens.total, cacheRead, cacheWrite })
}

/** Anthropic counts the input when it begins to answer: what an answer cost that breaks off later. */
function usageSoFar(raw: unknown): Usage | null {
  if (!isRecord(raw)) return null
  const input = countIn(raw['input_tokens'])
  if (input === undefined) return null
  const cacheRead = countIn(raw['cache_read_input_tokens']) ?? 0
  const cacheWrite = countIn(raw['cache_creation_input_tokens']) ?? 0
  const output = countIn(raw['output_tokens']) ?? 0
  return usageFrom({ input: input + cacheRead + cacheWrite, output, cacheRead, cacheWrite })
}

function reasonOf(unified: LanguageModelV4FinishReason['unified'], hasCalls: boolean) {
  if (unified === 'length') return 'length'
  if (unified === 'content-filter') return 'refused'
  return hasCalls ? 'tool_calls' : 'stop'
}
