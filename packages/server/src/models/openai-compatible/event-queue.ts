import type { ModelEvent } from '../../ports.ts'

type Waiting = (result: IteratorResult<ModelEvent, undefined>) => void

/**
 * Between a socket that pushes and one reader that pulls. Text that the reader has not fetched yet grows in place, so a
 * slow reader gets fewer, longer deltas. `onFull` and `onDrained` tell the producer to stop and to go on.
 */
export class EventQueue implements AsyncIterableIterator<ModelEvent, undefined> {
  #events: ModelEvent[] = []
  #waiting: Waiting | undefined
  #isEnded = false
  #bufferedChars = 0
  readonly #options: QueueOptions

  constructor(options: QueueOptions) {
    this.#options = options
  }

  push(event: ModelEvent): void {
    if (this.#isEnded) return
    if (this.#waiting) {
      const waiting = this.#waiting
      this.#waiting = undefined
      waiting({ done: false, value: event })
      return
    }
    const last = this.#events.at(-1)
    if ((event.type === 'text' || event.type === 'thinking') && last?.type === event.type) last.delta += event.delta
    else this.#events.push(event)
    if (!('delta' in event)) return
    this.#bufferedChars += event.delta.length
    if (this.#bufferedChars > this.#options.maxBufferedChars) this.#options.onFull()
  }

  /** No more events; what is queued is still read. */
  end(): void {
    this.#isEnded = true
    this.#waiting?.({ done: true, value: undefined })
    this.#waiting = undefined
  }

  next(): Promise<IteratorResult<ModelEvent, undefined>> {
    // An abort also takes what was received but not read.
    if (this.#options.signal.aborted) this.#events = []
    const event = this.#events.shift()
    if (event) {
      if (this.#events.length === 0 && this.#bufferedChars > 0) this.#drained()
      return Promise.resolve({ done: false, value: event })
    }
    if (this.#isEnded) return Promise.resolve({ done: true, value: undefined })
    return new Promise((resolve) => (this.#waiting = resolve))
  }

  /** The reader leaves early. */
  return(): Promise<IteratorResult<ModelEvent, undefined>> {
    this.#events = []
    this.end()
    this.#options.onReturn()
    return Promise.resolve({ done: true, value: undefined })
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  #drained(): void {
    this.#bufferedChars = 0
    this.#options.onDrained()
  }
}

export type QueueOptions = {
  signal: AbortSignal
  maxBufferedChars: number
  onFull: () => void
  onDrained: () => void
  onReturn: () => void
}
