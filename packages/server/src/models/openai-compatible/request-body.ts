import { parseBoundedJson } from '@parley/protocol/wire'
import type { AnswerPart, JsonObject, ModelMessage, ModelRequest, ToolSpec, UserPart } from '../../ports.ts'

/**
 * A chat-completions request as the bytes that go out. The conversation comes last, so that the bytes of one call are
 * a prefix of the next one's, up to the end of the shared messages.
 */
export function requestBody(request: ModelRequest, model: string): string {
  const { system, messages, tools, toolChoice, maxOutputTokens } = request
  return JSON.stringify({
    model,
    stream: true,
    stream_options: { include_usage: true },
    ...(maxOutputTokens === undefined ? {} : { max_tokens: maxOutputTokens }),
    ...(tools.length === 0 ? {} : { tools: tools.map(toolOf) }),
    ...(tools.length > 0 && toolChoice === 'required' ? { tool_choice: 'required' } : {}),
    messages: [...(system ? [{ role: 'system', content: system }] : []), ...messages.map(messageOf)],
  })
}

function toolOf({ name, description, input }: ToolSpec) {
  return { type: 'function', function: { name, description, parameters: input } }
}

function messageOf(message: ModelMessage) {
  if (message.role === 'user') return { role: 'user', content: userContent(message.content) }
  if (message.role === 'assistant') return assistantMessage(message.content)
  return { role: 'tool', tool_call_id: message.tool_call_id, content: message.text }
}

function userContent(parts: readonly UserPart[]) {
  const [first] = parts
  // Plain text stays a string: small servers know no other form.
  if (parts.length === 1 && first?.type === 'text') return first.text
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part] : []))
  if (texts.length === parts.length && texts.some(({ recalled }) => recalled))
    return texts.map(({ text }) => text).join('\n\n')
  return parts.map((part) =>
    part.type === 'text' ? { type: 'text', text: part.text } : { type: 'image_url', image_url: { url: part.url } },
  )
}

function assistantMessage(parts: readonly AnswerPart[]) {
  let text = ''
  const thinking: Record<string, string> = {}
  const toolCalls: JsonObject[] = []
  for (const part of parts) {
    if (part.type === 'text') text += part.text
    if (part.type === 'tool_call') toolCalls.push(toolCallOf(part))
    // Thinking goes back under the name it came with; what another provider thought (no such name) stays here.
    const field = part.type === 'thinking' && part.metadata?.['reasoning_field']
    if (part.type === 'thinking' && (field === 'reasoning_content' || field === 'reasoning'))
      thinking[field] = (thinking[field] ?? '') + part.text
  }
  return {
    role: 'assistant',
    content: toolCalls.length > 0 ? text || null : text,
    ...thinking,
    ...(toolCalls.length > 0 ? { tool_calls: toolCalls } : {}),
  }
}

function toolCallOf({ id, name, arguments: raw, metadata }: AnswerPart & { type: 'tool_call' }): JsonObject {
  const extra = metadata?.['extra_content']
  return {
    id,
    type: 'function',
    function: { name, arguments: asJsonObject(raw) },
    ...(extra === undefined ? {} : { extra_content: extra }),
  }
}

/** Chat templates parse the arguments of old calls; one that is no JSON, or nests too deep for them, would fail every later request of a session. */
function asJsonObject(raw: string): string {
  if (raw.trim() === '') return '{}'
  return parseBoundedJson(raw) === undefined ? JSON.stringify({ invalid_arguments: raw }) : raw
}
