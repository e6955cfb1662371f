import type { Model, ModelMessage, ModelRequest } from '@parley/server/in-process'
import type { GenerateOptions, LLMChunk, LLMMessage, LLMResponse, LLMToolCall, ToolDefinition } from './model-port.ts'

type Asked = {
  messages: readonly LLMMessage[]
  tools: readonly ToolDefinition[]
  onChunk?: (chunk: LLMChunk) => void
  options?: GenerateOptions | undefined
}

/** One call of a provider's model. Throws where it fails. */
export async function generate(model: Model, { messages, tools, onChunk, options }: Asked): Promise<LLMResponse> {
  const signal = options?.abortSignal ?? new AbortController().signal
  const response: LLMResponse = { content: '', finishReason: 'stop' }
  const toolCalls: LLMToolCall[] = []
  for await (const event of model.stream(requestOf(messages, tools, signal))) {
    if (event.type === 'text') {
      response.content += event.delta
      onChunk?.({ type: 'content', content: event.delta })
    }
    if (event.type === 'tool_call') {
      const toolCall = callOf(event.call)
      toolCalls.push(toolCall)
      onChunk?.({ type: 'tool_call', toolCall })
    }
    if (event.type === 'failed') throw Object.assign(new Error(event.failure.message), { kind: event.failure.kind })
    if (event.type === 'finish') {
      response.finishReason = event.reason === 'refused' ? 'content_filter' : event.reason
      if (event.usage) response.usage = usageOf(event.usage)
    }
  }
  signal.throwIfAborted()
  onChunk?.({ type: 'done' })
  return toolCalls.length > 0 ? { ...response, toolCalls } : response
}

function requestOf(
  messages: readonly LLMMessage[],
  tools: readonly ToolDefinition[],
  signal: AbortSignal,
): ModelRequest {
  const system = messages.flatMap((message) => (message.role === 'system' ? [message.content] : [])).join('\n\n')
  return {
    system,
    signal,
    messages: messages.filter(({ role }) => role !== 'system').map(messageOf),
    tools: tools.map(({ function: { name, description, parameters } }) => ({
      ...{ name, description },
      input: parameters as ModelRequest['tools'][number]['input'],
    })),
  }
}

function messageOf(message: LLMMessage): ModelMessage {
  if (message.role === 'tool') {
    const { toolCallId: tool_call_id, name: tool_name, content: text, isError: is_error } = message
    return { role: 'tool', tool_call_id, tool_name, text, is_error }
  }
  const text = message.content === '' ? [] : [{ type: 'text' as const, text: message.content }]
  if (message.role !== 'assistant') return { role: 'user', content: text }
  const calls = (message.toolCalls ?? []).map(({ id, name, arguments: given }) => ({
    ...{ type: 'tool_call' as const, id, name },
    arguments: typeof given === 'string' ? given : JSON.stringify(given),
  }))
  return { role: 'assistant', content: [...text, ...calls] }
}

function callOf({ id, name, arguments: text }: { id: string; name: string; arguments: string }): LLMToolCall {
  try {
    return { id, name, arguments: JSON.parse(text) as Record<string, unknown> }
  } catch {
    return { id, name, arguments: text }
  }
}

function usageOf({ input_tokens, output_tokens }: { input_tokens: number; output_tokens: number }) {
  return {
    promptTokens: input_tokens,
    completionTokens: output_tokens,
    totalTokens: input_tokens + output_tokens,
  }
}
