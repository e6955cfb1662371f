import { parseBoundedJson } from '@parley/protocol/wire'
import { type AnswerLimits, AnswerMeter } from '../answer-meter.ts'
import { failureOf, networkFailure, unreadableFailure } from '../failure.ts'
import type { ModelEvent, Usage } from '../../ports.ts'
import { isRecord, usageFrom } from '../shape.ts'
import { createToolCalls } from './tool-calls.ts'

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
  const toolCalls = createToolCalls(newCallId, meter)
  let state: 'waiting' | 'open' | 'done' = 'waiting'
  let part: 'thinking' | 'text' | null = null
  let reasoningField = ''
  let finishReason: string | null = null
  let hasRefusal = false
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
    if (isRecord(delta)) onDelta(delta)
    if (meter.isFull) cutShort()
  }

  function onDelta(delta: Record<string, unknown>) {
    const { content, reasoning_content, reasoning, refusal, tool_calls } = delta
    if (typeof reasoning_content === 'string') onThinking(reasoning_content, 'reasoning_content')
    else if (typeof reasoning === 'string') onThinking(reasoning, 'reasoning')
    if (typeof content === 'string') onText(content)
    else if (Array.isArray(content)) content.forEach(onContentPart)
    if (typeof refusal === 'string' && refusal !== '') {
      hasRefusal = true
      onText(refusal)
    }
    if (!Array.isArray(tool_calls) || tool_calls.length === 0) return
    if (part === 'thinking') endPart()
    for (const call of tool_calls) {
      if (meter.isFull) return
      toolCalls.add(call)
    }
  }

  function onThinking(thought: string, field: string) {
    if (thought === '' || meter.isFull) return
    if (part !== 'thinking') startPart('thinking')
    reasoningField = field
    const delta = meter.fitting(thought)
    if (delta !== '') emit({ type: 'thinking', delta })
  }

  function onText(text: string) {
    if (text === '' || meter.isFull) return
    if (part !== 'text') startPart('text')
    const delta = meter.fitting(text)
    if (delta !== '') emit({ type: 'text', delta })
  }

  /** Mistral's form: a list of text and thinking parts in place of a string. */
  function onContentPart(content: unknown) {
    if (!isRecord(content)) return
    const { type, text, thinking } = content
    if (type === 'text' && typeof text === 'string') onText(text)
    if (type === 'thinking' && Array.isArray(thinking))
      for (const piece of thinking)
        if (isRecord(piece) && typeof piece['text'] === 'string') onThinking(piece['text'], 'content')
  }

  function startPart(next: 'thinking' | 'text') {
    endPart()
    meter.part()
    part = next
  }

  function endPart() {
    if (part === 'text') emit({ type: 'part_end', part })
    if (part === 'thinking') emit({ type: 'part_end', part, metadata: { reasoning_field: reasoningField } })
    part = null
  }

  function fail(failure: ReturnType<typeof failureOf>) {
    state = 'done'
    emit({ type: 'failed', failure, usage })
  }

  /** The rest is not wanted; calls that may be incomplete are not either. */
  function cutShort() {
    endPart()
    state = 'done'
    emit({ type: 'finish', reason: 'length', usage })
  }

  function finish() {
    if (finishReason === null) {
      endPart()
      return fail(unreadableFailure(model, 'its answer ended without a finish reason', state === 'open'))
    }
    endPart()
    const calls = toolCalls.finished()
    calls.forEach(emit)
    state = 'done'
    emit({ type: 'finish', reason: reasonOf(finishReason, { hasRefusal, hasCalls: calls.length > 0 }), usage })
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

type Seen = { hasRefusal: boolean; hasCalls: boolean }

function reasonOf(raw: string, { hasRefusal, hasCalls }: Seen): (ModelEvent & { type: 'finish' })['reason'] {
  if (/^(?:length|max_tokens|model_length)$/i.test(raw)) return 'length'
  if (raw === 'content_filter') return 'refused'
  // Several servers say "stop" although they call tools.
  if (hasCalls) return 'tool_calls'
  return hasRefusal ? 'refused' : 'stop'
}
