import { BlockType } from '../model/block-type.ts'
import type { ChatOp, KeyedBlock } from '../model/chat-op.ts'
import type { ToolCall } from '../model/tool-block.ts'
import type { WebSearchQuery } from '../model/web-search.ts'

export type BlockOptions = { key?: string; consumeTime?: number }

export type RenderRecorder = ReturnType<typeof createRenderRecorder>

type Segment = { type: string; key: string; text: string }

/**
 * Turns the render methods of the class API into ops: upserts by key, with the open text segment as the default key.
 * Lives as long as its run.
 */
export function createRenderRecorder(emit: (op: ChatOp) => void) {
  const known = new Map<string, Segment>()
  let last: Segment | undefined
  let segments = 0

  const put = (block: KeyedBlock) => {
    const segment = known.get(block.key) ?? { type: block.type, key: block.key, text: '' }
    if (!known.has(block.key)) last = segment
    known.set(block.key, segment)
    emit({ op: 'block', block })
  }

  const putText = (type: 'Markdown' | 'Reasoning', text: string, { key, consumeTime }: BlockOptions) => {
    const open = key === undefined && last?.type === type ? last : undefined
    const found = key === undefined ? open : known.get(`${type}:${key}`)
    if (!found && text === '') return
    const segment = found ?? { type, key: `${type}:${key ?? `#${segments++}`}`, text: '' }
    segment.text = text
    if (!found) last = segment
    known.set(segment.key, segment)
    const time = consumeTime === undefined ? {} : { consumeTime }
    const content = type === 'Markdown' ? text : { text }
    if (consumeTime !== undefined) emit({ op: 'block', block: { type, content, key: segment.key, ...time } })
    else emit({ op: type === 'Markdown' ? 'text' : 'reasoning', key: segment.key, text })
  }

  return {
    hasRendered: () => known.size > 0,
    text: (text: string, options: BlockOptions = {}) => putText('Markdown', text, options),
    reasoning: (text: string, options: BlockOptions = {}) => putText('Reasoning', text, options),
    webSearch: (query: WebSearchQuery, { key = query.input, consumeTime }: BlockOptions = {}) =>
      put({
        type: BlockType.WebSearch,
        content: query,
        key: `search:${key}`,
        ...(consumeTime !== undefined && { consumeTime }),
      }),
    /** The published rule: goes on with the last block if that is Markdown and a beginning of the text, else appends. */
    markdown(text: string) {
      if (last?.type === BlockType.Markdown && text.startsWith(last.text)) return putText('Markdown', text, {})
      putText('Markdown', text, { key: `+${segments++}` })
    },
    tool(call: ToolCall, { key = call.id ?? call.name, consumeTime }: BlockOptions = {}) {
      const durationMs = call.durationMs ?? consumeTime
      const content = { ...call, ...(durationMs !== undefined && { durationMs }) }
      put({ type: BlockType.Tool, content, key: `tool:${key}`, ...(consumeTime !== undefined && { consumeTime }) })
    },
    block: put,
    emit,
  }
}
