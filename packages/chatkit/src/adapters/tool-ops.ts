import { BlockType } from '../model/block-type.ts'
import type { Block } from '../model/chat-message.ts'
import type { ChatOp } from '../model/chat-op.ts'
import type { ToolCall } from '../model/tool-block.ts'
import { recogniseSearch } from './recognise-search.ts'

/** An integrator's own reading of a tool's result, by tool name; `undefined` leaves it to the kit. */
export type ToolParsers = Record<string, (input: unknown, output: unknown) => Block | undefined>

/** A call as a block: a search if it looks like one once it is done, else a tool row. The key keeps its place. */
export function toolCallOp(key: string, call: ToolCall, parsers: ToolParsers = {}): ChatOp {
  const { name, input, output, status } = call
  if (status === 'done') {
    const own = parsers[name]?.(input, output)
    if (own) return { op: 'block', block: { ...own, key } }
    const search = recogniseSearch(name, input, output)
    if (search) return { op: 'block', block: { type: BlockType.WebSearch, content: search, key } }
  }
  return { op: 'block', block: { type: BlockType.Tool, content: call, key } }
}
