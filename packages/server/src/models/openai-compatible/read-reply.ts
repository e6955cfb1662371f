import { failureOf, networkFailure, unreadableFailure } from '../failure.ts'
import type { ModelEvent, Usage } from '../../ports.ts'
import { createToolCalls, type ToolCallDelta } from './tool-calls.ts'

export type ReplyOptions = {
  model: string
  secret: string
  emit: (event: ModelEvent) => void
  /** Makes an id for a call whose server sent none. */
  newCallId: () => string
}

/** The parts of a chunk that we read. It comes from outside: everything may be missing, and strings are checked. */
type Chunk = {
  error?: unknown
  usage?: ChunkUsage | null
  choices?: { delta?: Delta | null; finish_reason?: string | null }[]
}

type Delta = {
  content?: unknown
  reasoning_content?: unknown
  reasoning?: unknown
  refusal?: unknown
  tool_calls?: ToolCallDelta[] | null
}

type ChunkUsage = {
  prompt_tokens?: number | null
  completion_tokens?: number | null
  prompt_tokens_details?: { cached_tokens?: number | null } | null
}

/**
 * Reads one streamed chat completion, event by event, and emits what it means.
 *
 *   waiting ──first chunk──▶ open ──[DONE], or the end after a finish reason──▶ done (finish)
 *      └──────error──────────┴────error, cut, or the end without one──────────▶ done (failed)
 */
export function readReply({ model, secret, emit, newCallId }: ReplyOptions) {
  const toolCalls = createToolCalls(newCallId)
  let state: 'waiting' | 'open' | 'done' = 'waiting'
  let part: 'thinking' | 'text' | null = null
  let reasoningField = ''
  let finishReason: string | null = null
  let hasRefusal = false
  let usage: Usage | null = null

  function onChunk(chunk: Chunk) {
    if (chunk.error) {
      const incomplete = state === 'open'
      return fail(failureOf({ model, body: { error: chunk.error }, incomplete, secret }))
    }
    if (state === 'waiting') {
      state = 'open'
      emit({ type: 'accepted', model })
    }
    if (chunk.usage) usage = usageOf(chunk.usage)
    const choice = chunk.choices?.[0]
    if (!choice) return
    if (choice.finish_reason) finishReason = choice.finish_reason
    if (choice.delta) onDelta(choice.delta)
  }

  function onDelta(delta: Delta) {
    const { content, reasoning_content, reasoning, refusal, tool_calls } = delta
    if (typeof reasoning_content === 'string') onThinking(reasoning_content, 'reasoning_content')
    else if (typeof reasoning === 'string') onThinking(reasoning, 'reasoning')
    if (typeof content === 'string') onText(content)
    else if (Array.isArray(content)) content.forEach(onContentPart)
    if (typeof refusal === 'string' && refusal !== '') {
      hasRefusal = true
      onText(refusal)
    }
    if (!tool_calls?.length) return
    if (part === 'thinking') endPart()
    for (const call of tool_calls) toolCalls.add(call)
  }

  function onThinking(delta: string, field: string) {
    if (delta === '') return
    if (part !== 'thinking') startPart('thinking')
    reasoningField = field
    emit({ type: 'thinking', delta })
  }

  function onText(delta: string) {
    if (delta === '') return
    if (part !== 'text') startPart('text')
    emit({ type: 'text', delta })
  }

  /** Mistral's form: a list of text and thinking parts in place of a string. */
  function onContentPart(content: { type?: unknown; text?: unknown; thinking?: unknown }) {
    if (content?.type === 'text' && typeof content.text === 'string') onText(content.text)
    if (content?.type === 'thinking' && Array.isArray(content.thinking))
      for (const piece of content.thinking) if (typeof piece?.text === 'string') onThinking(piece.text, 'content')
  }

  function startPart(next: 'thinking' | 'text') {
    endPart()
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

function parsed(data: string): Chunk | undefined {
  try {
    const value: unknown = JSON.parse(data)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

function usageOf({ prompt_tokens, completion_tokens, prompt_tokens_details }: ChunkUsage): Usage {
  const cached = prompt_tokens_details?.cached_tokens
  return {
    input_tokens: prompt_tokens ?? 0,
    output_tokens: completion_tokens ?? 0,
    ...(cached ? { cache_read_tokens: cached } : {}),
  }
}

type Seen = { hasRefusal: boolean; hasCalls: boolean }

function reasonOf(raw: string, { hasRefusal, hasCalls }: Seen): (ModelEvent & { type: 'finish' })['reason'] {
  if (raw === 'length') return 'length'
  if (raw === 'content_filter') return 'refused'
  // Several servers say "stop" although they call tools.
  if (hasCalls) return 'tool_calls'
  return hasRefusal ? 'refused' : 'stop'
}
