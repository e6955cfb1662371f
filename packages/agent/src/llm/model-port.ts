/** What a model is asked through. Bring your own client behind it, or let `LLMManager` ask a provider. */
export interface ModelPort {
  /** What runs remember it by; a program that goes on after a crash must have one of this name. Default `model`. */
  readonly name?: string
  /** A throw is a failed call; a number at `status` of what is thrown, as HTTP clients put it there, tells which kind. */
  generateWithTools(
    task: string,
    messages: readonly LLMMessage[],
    tools: readonly ToolDefinition[],
    options?: GenerateOptions,
  ): Promise<LLMResponse>
  /** The same, and tells pieces as they come. Absent: answers come whole. */
  generateWithToolsStream?(
    task: string,
    messages: readonly LLMMessage[],
    tools: readonly ToolDefinition[],
    onChunk: (chunk: LLMChunk) => void,
    options?: GenerateOptions,
  ): Promise<LLMResponse>
}

export type LLMMessage =
  | { role: 'system' | 'user'; content: string }
  | { role: 'assistant'; content: string; toolCalls?: LLMToolCall[] }
  | { role: 'tool'; content: string; toolCallId: string; name: string; isError: boolean }

/** As providers take it. */
export type ToolDefinition = {
  type: 'function'
  function: { name: string; description: string; parameters: Record<string, unknown> }
}

export type LLMToolCall = {
  id: string
  name: string
  /** Text where a model wrote something that is no JSON: it is told so. */
  arguments: Record<string, unknown> | string
}

export type LLMChunk =
  | { type: 'content'; content: string }
  | { type: 'tool_call'; toolCall: LLMToolCall }
  | { type: 'done' }

export type LLMResponse = {
  content: string
  toolCalls?: LLMToolCall[]
  finishReason: 'stop' | 'tool_calls' | 'length' | 'content_filter'
  usage?: { promptTokens: number; completionTokens: number; totalTokens?: number }
}

export type GenerateOptions = { abortSignal?: AbortSignal }
