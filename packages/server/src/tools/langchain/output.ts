import { boundResult } from '@parley/tools'
import type { JsonValue, ToolOutput } from '../../ports.ts'

/** What a LangChain tool returned, as people and models get it: the content of its message, or the bare value. */
export function outputOf(returned: unknown): ToolOutput {
  if (!isMessage(returned)) return { result: boundResult(jsonOf(returned)) }
  const result = boundResult(contentOf(returned.content))
  return returned.status === 'error' ? { result, isError: true } : { result }
}

type Message = { content: unknown; tool_call_id: string; status?: string }

function isMessage(value: unknown): value is Message {
  return typeof value === 'object' && value !== null && 'content' in value && 'tool_call_id' in value
}

function contentOf(content: unknown): JsonValue {
  if (!Array.isArray(content)) return jsonOf(content)
  const blocks: unknown[] = content
  return blocks.every(isText) ? blocks.map(({ text }) => text).join('\n') : jsonOf(content)
}

function isText(block: unknown): block is { type: 'text'; text: string } {
  return typeof block === 'object' && block !== null && 'type' in block && block.type === 'text' && 'text' in block
}

/** Tools return whatever they like; what JSON cannot say is said in words. */
function jsonOf(value: unknown): JsonValue {
  try {
    const text = JSON.stringify(value)
    return text === undefined ? null : (JSON.parse(text) as JsonValue)
  } catch {
    return String(value)
  }
}
