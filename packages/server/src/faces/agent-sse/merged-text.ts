import type { AgentEvent } from '@parley/protocol/agent-sse'
import type { Shown } from './encoding.ts'

type Chunk = Extract<AgentEvent, { type: 'content_chunk' }>

/** [S10.9] Pieces of text that stand side by side, as one with the last one's place. Nothing else is touched. */
export function mergedText(page: readonly Shown[]): readonly Shown[] {
  const merged: Shown[] = []
  for (const event of page) {
    const last = merged.at(-1)
    if (!isChunk(event) || !last || !isChunk(last)) merged.push(event)
    else
      merged[merged.length - 1] = { ...event, data: { ...event.data, content: last.data.content + event.data.content } }
  }
  return merged
}

function isChunk(event: Shown): event is Chunk {
  return typeof event === 'object' && 'type' in event && event.type === 'content_chunk'
}
