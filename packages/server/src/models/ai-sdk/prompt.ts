import type {
  LanguageModelV4FilePart,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider'
import { parseBoundedJson } from '@parley/protocol/wire'
import type { AnswerPart, ModelMessage, ModelRequest, ToolSpec, UserPart } from '../../ports.ts'

/**
 * Our conversation in the words of the provider packages. `cacheMark` goes where a prompt cache should end: after the
 * system prompt (which covers the tools), at the end, and where the call before this one ended, so that it finds what
 * that one stored however many tool results lie between.
 */
export function promptOf(request: ModelRequest, cacheMark?: SharedV4ProviderOptions): LanguageModelV4Prompt {
  const { system, messages } = request
  const marked = new Set(cacheMark ? messages.filter(endsCall).slice(-2) : [])
  const prompt: LanguageModelV4Prompt = []
  if (system) prompt.push({ role: 'system', content: system, ...optionsOf(cacheMark) })
  for (const message of messages) {
    const converted = messageOf(message)
    if (converted.content.length === 0) continue
    prompt.push(marked.has(message) ? { ...converted, ...optionsOf(cacheMark) } : converted)
  }
  return prompt
}

export function toolsOf(tools: readonly ToolSpec[]): LanguageModelV4FunctionTool[] {
  return tools.map(({ name, description, input }) => ({ type: 'function', name, description, inputSchema: input }))
}

/** A call of the model ended here: its answer follows, or is asked for now. */
function endsCall({ role }: ModelMessage, at: number, messages: readonly ModelMessage[]): boolean {
  return role !== 'assistant' && (messages[at + 1]?.role ?? 'assistant') === 'assistant'
}

function messageOf(message: ModelMessage): LanguageModelV4Message {
  if (message.role === 'user') return { role: 'user', content: message.content.filter(hasContent).map(userPart) }
  if (message.role === 'assistant')
    return { role: 'assistant', content: message.content.filter(hasContent).map(answerPart) }
  const { tool_call_id, tool_name, text, is_error } = message
  const output = { type: is_error ? 'error-text' : 'text', value: text } as const
  return {
    role: 'tool',
    content: [{ type: 'tool-result', toolCallId: callId(tool_call_id), toolName: tool_name, output }],
  }
}

/** Empty text blocks are refused by Anthropic. Empty thinking is not empty: it carries its signature. */
function hasContent(part: UserPart | AnswerPart): boolean {
  return part.type !== 'text' || part.text !== ''
}

function userPart(part: UserPart) {
  return part.type === 'text' ? { type: 'text' as const, text: part.text } : imagePart(part)
}

function imagePart({ url, media_type }: UserPart & { type: 'image' }): LanguageModelV4FilePart {
  const inline = /^data:([^;,]+)?(?:;[^,]*)?;base64,/.exec(url)
  if (!inline) return { type: 'file', mediaType: media_type ?? 'image/*', data: { type: 'url', url: new URL(url) } }
  return {
    type: 'file',
    mediaType: inline[1] ?? media_type ?? 'image/*',
    data: { type: 'data', data: url.slice(inline[0].length) },
  }
}

function answerPart(part: AnswerPart) {
  const options = optionsOf(part.metadata as SharedV4ProviderOptions | undefined)
  if (part.type === 'text') return { type: 'text' as const, text: part.text, ...options }
  if (part.type === 'thinking') return { type: 'reasoning' as const, text: part.text, ...options }
  const input = parsedOrRaw(part.arguments)
  return { type: 'tool-call' as const, toolCallId: callId(part.id), toolName: part.name, input, ...options }
}

function optionsOf(providerOptions: SharedV4ProviderOptions | undefined) {
  return providerOptions ? { providerOptions } : {}
}

/** A conversation may come from another model, whose ids have signs that Anthropic refuses. */
function callId(id: string): string {
  return id.replace(/[^\w-]/g, '_')
}

function parsedOrRaw(raw: string): unknown {
  return raw.trim() === '' ? {} : (parseBoundedJson(raw) ?? raw)
}
