import type { LanguageModelV4FinishReason, LanguageModelV4StreamPart, LanguageModelV4Usage } from '@ai-sdk/provider'
import { type AnswerLimits, AnswerMeter } from '../answer-meter.ts'
import { networkFailure, unreadableFailure } from '../failure.ts'
import type { ModelEvent, Usage } from '../../ports.ts'
import { countIn, isRecord, usageFrom } from '../shape.ts'
import { failureOfError } from './failure-of-error.ts'
import { createOpenPart } from './open-part.ts'
import { createStreamedCalls } from './streamed-calls.ts'

export type PartReaderOptions = { model: string; secret: string; limits: AnswerLimits; newCallId: () => string }

/**
 * Turns the parts of a provider package's stream into our events, one part at a time. The packages check the shape of
 * what providers send, but neither its length nor what its numbers and ids are.
 */
export function createPartReader({ model, secret, limits, newCallId }: PartReaderOptions) {
  const meter = new AnswerMeter(limits)
  const openPart = createOpenPart(meter)
  const calls = createStreamedCalls(newCallId, meter)
  let isAccepted = false
  let usage: Usage | null = null

  function finish(reason: LanguageModelV4FinishReason): ModelEvent[] {
    const events = openPart.close()
    if (reason.unified === 'interrupted')
      return [...events, { type: 'failed', failure: networkFailure(model, 'the stream ended early', true), usage }]
    if (reason.unified === 'error')
      return [...events, { type: 'failed', failure: unreadableFailure(model, 'it gave no reason', true), usage }]
    return [...events, { type: 'finish', reason: reasonOf(reason.unified, calls.hasAny()), usage }]
  }

  function failed(error: unknown): ModelEvent {
    return { type: 'failed', failure: failureOfError(error, { model, secret, incomplete: isAccepted }), usage }
  }

  function meaningOf(part: LanguageModelV4StreamPart): ModelEvent[] {
    switch (part.type) {
      case 'text-start':
        return openPart.start(part, 'text')
      case 'text-delta':
        return openPart.delta(part, 'text')
      case 'reasoning-start':
        return openPart.start(part, 'thinking')
      case 'reasoning-delta':
        return openPart.delta(part, 'thinking')
      case 'text-end':
      case 'reasoning-end':
        return openPart.end(part)
      case 'tool-input-start':
        calls.begin(part.id)
        return []
      case 'tool-input-delta':
        calls.grow(part.id, part.delta.length)
        return []
      case 'tool-call':
        // What the provider runs by itself is not ours to run.
        return part.providerExecuted ? [] : [...openPart.close(), calls.complete(part)]
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
    return [...events, ...openPart.close(), { type: 'finish', reason: 'length', usage }]
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
