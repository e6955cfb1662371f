import type { Message } from './frame.ts'

/** Beyond this, a message is told again less often, in proportion ([O10.3]). */
const PLAIN_BYTES = 16 * 1024

export type OutboxOptions = {
  /** The shortest time between two updates of one message. */
  intervalMs: number
  /** A reader is this far behind at most. */
  maxBytes: number
  frameOf: (type: 'message_update', message: Message) => string
  /** Milliseconds, from a clock that cannot be set. */
  now: () => number
}

/**
 * What one reader is still to be sent: every frame that must not be lost, in order, and behind them at most one update. An
 * update that waits gives way to a newer one, and to the end of its message ([O10]).
 */
export class Outbox {
  readonly #options: OutboxOptions
  readonly #frames: string[] = []
  #bytes = 0
  #update: Message | null = null
  #last: { id: string; nextAt: number } | null = null
  #wake = Promise.withResolvers<'changed' | 'silent'>()
  isClosed = false

  constructor(options: OutboxOptions) {
    this.#options = options
  }

  /** More waits than a reader may be behind. One frame alone is never too much: nothing is cut. */
  get isOverfull(): boolean {
    return this.#frames.length > 1 && this.#bytes > this.#options.maxBytes
  }

  put(frame: string): void {
    this.#update = null
    this.#frames.push(frame)
    this.#bytes += Buffer.byteLength(frame)
    this.#wake.resolve('changed')
  }

  update(message: Message): void {
    this.#update = message
    this.#wake.resolve('changed')
  }

  /** Nothing more will be put in. */
  close(): void {
    this.isClosed = true
    this.#wake.resolve('changed')
  }

  /** The next frame that may go now. */
  take(): string | undefined {
    const frame = this.#frames.shift()
    if (frame !== undefined) {
      this.#bytes -= Buffer.byteLength(frame)
      return frame
    }
    const message = this.#update
    const { now, intervalMs, frameOf } = this.#options
    if (!message || this.#dueInMs() > 0) return undefined
    this.#update = null
    const update = frameOf('message_update', message)
    const slowdown = Math.max(1, Buffer.byteLength(update) / PLAIN_BYTES)
    this.#last = { id: message.id, nextAt: now() + intervalMs * slowdown }
    return update
  }

  /** Until there may be something to take, or nothing was to be told for so long. */
  async changed(atMostMs: number): Promise<'changed' | 'silent'> {
    this.#wake = Promise.withResolvers()
    if (this.#frames.length > 0 || this.isClosed) return 'changed'
    const dueInMs = this.#update ? Math.max(0, this.#dueInMs()) : Infinity
    const [ms, end] = dueInMs < atMostMs ? [dueInMs, 'changed' as const] : [atMostMs, 'silent' as const]
    const timer = setTimeout(this.#wake.resolve, ms, end)
    const woken = await this.#wake.promise
    clearTimeout(timer)
    return woken
  }

  /** The first update of a message goes at once. */
  #dueInMs(): number {
    if (!this.#last || this.#last.id !== this.#update?.id) return 0
    return this.#last.nextAt - this.#options.now()
  }
}
