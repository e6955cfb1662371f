import type { Model, ModelEvent, ModelMessage, ModelRequest, ToolSpec, Usage } from '@parley/server/in-process'
import type { LLMChunk, LLMMessage, LLMResponse, LLMToolCall, ModelPort, ToolDefinition } from './model-port.ts'
import { type Pipe, pipe } from './pipe.ts'

/** What a call is for, as the port is told. */
const TASK = 'tool_calling'

/** A port as the core asks it. */
export function portModel(port: ModelPort, name: string): Model {
  return {
    async *stream(request) {
      const chunks = pipe<LLMChunk>()
      const answer = ask(port, request, chunks)
      answer.catch(() => undefined)
      const told = { calls: new Set<string>(), hasText: false }
      let isAccepted = false
      for await (const chunk of chunks.read()) {
        if (!isAccepted) yield { type: 'accepted', model: name }
        isAccepted = true
        if (chunk.type === 'content') told.hasText = true
        if (chunk.type === 'tool_call') told.calls.add(chunk.toolCall.id)
        yield* eventsOf(chunk)
      }
      const response = await answer
      if (!isAccepted) yield { type: 'accepted', model: name }
      yield* ending(response, told)
    },
  }
}

async function ask(port: ModelPort, request: ModelRequest, chunks: Pipe<LLMChunk>): Promise<LLMResponse> {
  const options = { abortSignal: request.signal }
  const messages = messagesOf(request)
  const tools = request.tools.map(definitionOf)
  try {
    return port.generateWithToolsStream
      ? await port.generateWithToolsStream(TASK, messages, tools, (chunk) => chunks.push(chunk), options)
      : await port.generateWithTools(TASK, messages, tools, options)
  } finally {
    chunks.end()
  }
}

function* eventsOf(chunk: LLMChunk): Generator<ModelEvent> {
  if (chunk.type === 'content' && chunk.content) yield { type: 'text', delta: asText(chunk.content) }
  if (chunk.type === 'tool_call') yield callEvent(chunk.toolCall)
}

/** What the whole answer says beyond its pieces, for ports that tell none or not all. */
function* ending(
  { content, toolCalls = [], finishReason, usage }: LLMResponse,
  { calls, hasText }: { calls: ReadonlySet<string>; hasText: boolean },
): Generator<ModelEvent> {
  if (!hasText && content) yield { type: 'text', delta: asText(content) }
  for (const call of toolCalls) if (!calls.has(call.id)) yield callEvent(call)
  yield { type: 'finish', reason: REASONS[finishReason] ?? 'stop', usage: usageOf(usage) }
}

const REASONS = { stop: 'stop', tool_calls: 'tool_calls', length: 'length', content_filter: 'refused' } as const

function callEvent({ id, name, arguments: given }: LLMToolCall): ModelEvent {
  return { type: 'tool_call', call: { id: asText(id), name: asText(name), arguments: asText(given ?? {}) } }
}

/** Whatever a port that nobody has compiled gives us. */
function asText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

function usageOf(usage: LLMResponse['usage']): Usage | null {
  return usage ? { input_tokens: usage.promptTokens, output_tokens: usage.completionTokens } : null
}

function definitionOf({ name, description, input }: ToolSpec): ToolDefinition {
  return { type: 'function', function: { name, description, parameters: input } }
}

function messagesOf({ system, messages }: ModelRequest): LLMMessage[] {
  return [{ role: 'system', content: system }, ...messages.map(messageOf)]
}

function messageOf(message: ModelMessage): LLMMessage {
  if (message.role === 'tool') {
    const { tool_call_id: toolCallId, tool_name: name, text: content, is_error: isError } = message
    return { role: 'tool', content, toolCallId, name, isError }
  }
  if (message.role === 'user')
    return { role: 'user', content: message.content.map((part) => (part.type === 'text' ? part.text : '')).join('') }
  const content = message.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
  const toolCalls = message.content.flatMap((part) =>
    part.type === 'tool_call' ? [{ id: part.id, name: part.name, arguments: readArguments(part.arguments) }] : [],
  )
  return { role: 'assistant', content, ...(toolCalls.length > 0 && { toolCalls }) }
}

function readArguments(text: string): Record<string, unknown> | string {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : text
  } catch {
    return text
  }
}
