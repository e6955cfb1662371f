import { parseBoundedJson } from '@parley/protocol/wire'
import { type AnswerLimits, AnswerMeter } from '../answer-meter.ts'
import { failureOf, networkFailure, unreadableFailure } from '../failure.ts'
import type { ModelEvent, Usage } from '../../ports.ts'
import { isRecord, usageFrom } from '../shape.ts'
import { createDeltaReader, type Seen } from './delta-reader.ts'

export type ReplyOptions = {
  model: string
  secret: string
  limits: AnswerLimits
  emit: (event: ModelEvent) => void
  /** Makes an id for a call whose server sent none. */
  newCallId: () => string
}

/**
 * Reads one streamed chat completion, event by event, and emits what it means.
 *
 *   waiting ──first chunk──▶ open ──[DONE], or the end after a finish reason──▶ done (finish)
 *      └──────error──────────┴────error, cut, or the end without one──────────▶ done (failed)
 *                            └────a limit of the answer───────────────────────▶ done (finish, as `length`)
 *
 * What comes is data, of any shape: what is not as it should be is as if it were not there.
 */
export function readReply({ model, secret, limits, emit, newCallId }: ReplyOptions) {
  const meter = new AnswerMeter(limits)
  const deltas = createDeltaReader({ emit, newCallId, meter })
  let state: 'waiting' | 'open' | 'done' = 'waiting'
  let finishReason: string | null = null
  let usage: Usage | null = null

  function onChunk(chunk: object) {
    const { error, usage: counts, choices } = chunk as Record<string, unknown>
    if (error) {
      const incomplete = state === 'open'
      return fail(failureOf({ model, body: { error }, incomplete, secret }))
    }
    if (state === 'waiting') {
      state = 'open'
      emit({ type: 'accepted', model })
    }
    if (isRecord(counts)) usage = usageOf(counts) ?? usage
    const choice: unknown = Array.isArray(choices) ? choices[0] : undefined
    if (!isRecord(choice)) return
    const { finish_reason, delta } = choice
    if (typeof finish_reason === 'string' && finish_reason !== '') finishReason = finish_reason
    if (isRecord(delta)) deltas.read(delta)
    if (meter.isFull) cutShort()
  }

  function fail(failure: ReturnType<typeof failureOf>) {
    state = 'done'
    emit({ type: 'failed', failure, usage })
  }

  /** The rest is not wanted; calls that may be incomplete are not either. */
  function cutShort() {
    deltas.endPart()
    state = 'done'
    emit({ type: 'finish', reason: 'length', usage })
  }

  function finish() {
    if (finishReason === null) {
      deltas.endPart()
      return fail(unreadableFailure(model, 'its answer ended without a finish reason', state === 'open'))
    }
    const seen = deltas.finish()
    state = 'done'
    emit({ type: 'finish', reason: reasonOf(finishReason, seen), usage })
  }

  return {
    /** The data of one server-sent event. */
    data(data: string) {
      if (state === 'done') return
      if (data === '[DONE]') return finish()
      const chunk = parsed(data)
      if (chunk) return onChunk(chunk)
      fail(unreadableFailure(model, 'it sent something that is not JSON', state === 'open'))
    },
    /** The body ended as HTTP says it should. */
    end() {
      if (state !== 'done') finish()
    },
    /** The connection broke. After a finish reason only the token counts are lost; the answer stands. */
    cut(cause: string) {
      if (state === 'done') return
      if (finishReason !== null) return finish()
      fail(networkFailure(model, cause, state === 'open'))
    },
  }
}

function parsed(data: string): object | undefined {
  const value = parseBoundedJson(data)
  return typeof value === 'object' && value !== null ? value : undefined
}

function usageOf({ prompt_tokens, completion_tokens, prompt_tokens_details: details }: Record<string, unknown>) {
  const cacheRead = isRecord(details) ? details['cached_tokens'] : undefined
  return usageFrom({ input: prompt_tokens, output: completion_tokens, cacheRead })
}

function reasonOf(raw: string, { hasRefusal, hasCalls }: Seen): (ModelEvent & { type: 'finish' })['reason'] {
  if (/^(?:length|max_tokens|model_length)$/i.test(raw)) return 'length'
  if (raw === 'content_filter') return 'refused'
  // Several servers say "stop" although they call tools.
  if (hasCalls) return 'tool_calls'
  return hasRefusal ? 'refused' : 'stop'
}
