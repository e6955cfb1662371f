import type { AgentEvent } from '@parley/protocol/agent-sse'
import type { Shown } from './encoding.ts'
import { formatEvent } from './format-event.ts'

type Chunk = Extract<AgentEvent, { type: 'content_chunk' }>
type Waiting = { shown: Shown; bytes: number }

/** What one reader is still to be sent, in order. */
export class Unsent {
  readonly #waiting: Waiting[] = []
  #changed = Promise.withResolvers<void>()
  #emptied = Promise.withResolvers<void>()
  bytes = 0
  /** Nothing more will be put in, or nobody takes anything out. */
  isClosed = false

  /** `mayMerge`: with text before it that waits too, text becomes one piece in the last one's place ([S10.9]). */
  put(shown: Shown, { mayMerge }: { mayMerge: boolean }): void {
    const last = this.#waiting.at(-1)
    const merged = mayMerge && last && isChunk(last.shown) && isChunk(shown) ? withText(last.shown, shown) : undefined
    if (merged) this.#waiting.pop()
    const bytes = merged ? last!.bytes + Buffer.byteLength((shown as Chunk).data.content) : bytesOf(shown)
    this.#waiting.push({ shown: merged ?? shown, bytes })
    this.bytes += bytes - (merged ? last!.bytes : 0)
    this.#changed.resolve()
  }

  take(): Shown | undefined {
    const first = this.#waiting.shift()
    this.bytes -= first?.bytes ?? 0
    if (this.#waiting.length === 0) this.#emptied.resolve()
    return first?.shown
  }

  close(): void {
    this.isClosed = true
    this.#changed.resolve()
    this.#emptied.resolve()
  }

  /** Until there is something to take, or never will be. */
  async changed(): Promise<void> {
    if (this.#waiting.length > 0 || this.isClosed) return
    this.#changed = Promise.withResolvers()
    await this.#changed.promise
  }

  /** Until all of it was taken, or nobody is there to take it. */
  async emptied(): Promise<void> {
    if (this.#waiting.length === 0 || this.isClosed) return
    this.#emptied = Promise.withResolvers()
    await this.#emptied.promise
  }
}

function withText(before: Chunk, chunk: Chunk): Chunk {
  return { ...chunk, data: { ...chunk.data, content: before.data.content + chunk.data.content } }
}

function bytesOf(shown: Shown): number {
  return typeof shown === 'object' && 'type' in shown ? Buffer.byteLength(formatEvent(shown)) : 0
}

function isChunk(shown: Shown): shown is Chunk {
  return typeof shown === 'object' && 'type' in shown && shown.type === 'content_chunk'
}
