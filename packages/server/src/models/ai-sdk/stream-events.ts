import type { LanguageModelV4FinishReason, LanguageModelV4StreamPart, LanguageModelV4Usage } from '@ai-sdk/provider'
import { networkFailure, unreadableFailure } from '../failure.ts'
import type { JsonObject, ModelEvent, Usage } from '../../ports.ts'
import { failureOfError } from './failure-of-error.ts'

type OpenPart = { id: string; kind: 'thinking' | 'text'; hasText: boolean; metadata: JsonObject }

/** Turns the parts of a provider package's stream into our events, one part at a time. */
export function createPartReader({ model, secret }: { model: string; secret: string }) {
  let isAccepted = false
  let open: OpenPart | null = null
  let hasCalls = false
  let usage: Usage | null = null

  function start(part: { id: string; providerMetadata?: unknown }, kind: OpenPart['kind']): ModelEvent[] {
    const events = close()
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
    if (part.delta === '') return events
    if (open) open.hasText = true
    events.push({ type: kind, delta: part.delta })
    return events
  }

  /** A part that ended already, because the next one began before its end came, is not ended twice. */
  function end(part: { id: string; providerMetadata?: unknown }): ModelEvent[] {
    if (open?.id !== part.id) return []
    keepMetadata(part)
    return close()
  }

  function keepMetadata({ providerMetadata }: { providerMetadata?: unknown }) {
    if (!open || !providerMetadata) return
    for (const [provider, values] of Object.entries(providerMetadata as Record<string, JsonObject>))
      open.metadata[provider] = { ...(open.metadata[provider] as JsonObject | undefined), ...values }
  }

  function close(): ModelEvent[] {
    if (!open) return []
    const { kind, hasText, metadata } = open
    open = null
    const hasMetadata = Object.keys(metadata).length > 0
    if (!hasText && !(kind === 'thinking' && hasMetadata)) return []
    return [{ type: 'part_end', part: kind, ...(hasMetadata ? { metadata } : {}) }]
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
      case 'tool-call': {
        // What the provider runs by itself is not ours to run.
        if (part.providerExecuted) return []
        hasCalls = true
        const { toolCallId, toolName, input, providerMetadata } = part
        return [
          ...close(),
          {
            type: 'tool_call',
            call: { id: toolCallId, name: toolName, arguments: input },
            ...(providerMetadata ? { metadata: providerMetadata as JsonObject } : {}),
          },
        ]
      }
      case 'custom':
        usage = usageSoFar(part.providerMetadata?.['anthropic']?.['usage']) ?? usage
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

  return {
    /** What a part means; nothing after `finish` or `failed` matters any more. */
    read(part: LanguageModelV4StreamPart): ModelEvent[] {
      // A stream may begin with an error under a status of 200: not accepted, only politely refused.
      if (isAccepted || part.type === 'stream-start' || part.type === 'error') return meaningOf(part)
      isAccepted = true
      return [{ type: 'accepted', model }, ...meaningOf(part)]
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
  if (inputTokens.total === undefined && outputTokens.total === undefined) return null
  return {
    input_tokens: inputTokens.total ?? 0,
    output_tokens: outputTokens.total ?? 0,
    ...(inputTokens.cacheRead ? { cache_read_tokens: inputTokens.cacheRead } : {}),
    ...(inputTokens.cacheWrite ? { cache_write_tokens: inputTokens.cacheWrite } : {}),
  }
}

/** Anthropic counts the input when it begins to answer: what an answer cost that breaks off later. */
function usageSoFar(raw: unknown): Usage | null {
  const counts = raw as Record<string, unknown> | null | undefined
  if (typeof counts?.['input_tokens'] !== 'number') return null
  const read = Number(counts['cache_read_input_tokens'] ?? 0)
  const written = Number(counts['cache_creation_input_tokens'] ?? 0)
  return {
    input_tokens: counts['input_tokens'] + read + written,
    output_tokens: Number(counts['output_tokens'] ?? 0),
    ...(read ? { cache_read_tokens: read } : {}),
    ...(written ? { cache_write_tokens: written } : {}),
  }
}

function reasonOf(unified: LanguageModelV4FinishReason['unified'], hasCalls: boolean) {
  if (unified === 'length') return 'length'
  if (unified === 'content-filter') return 'refused'
  return hasCalls ? 'tool_calls' : 'stop'
}
