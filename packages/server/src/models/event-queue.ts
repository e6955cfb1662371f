import type { ModelEvent, ModelRequest } from '../ports.ts'

type Waiting = PromiseWithResolvers<IteratorResult<ModelEvent, undefined>>

export type QueueOptions = Pick<ModelRequest, 'signal' | 'pace'> & {
  onFull: () => void
  onDrained: () => void
  onReturn: () => void
}

/** More than this of unread text, and the producer waits for the reader. */
const MAX_BUFFERED_CHARS = 256_000

/**
 * Between a producer that pushes and one reader that pulls. A piece of text costs no promise: it grows the text that
 * waits, which the reader gets when the pace says so, or with whatever comes after it. `onFull` and `onDrained` tell the
 * producer to stop and to go on.
 */
export class EventQueue implements AsyncIterableIterator<ModelEvent, undefined> {
  readonly #options: QueueOptions
  #events: ModelEvent[] = []
  #waiting: Waiting | undefined
  #isEnded = false
  #failure: { error: unknown } | undefined
  #bufferedChars = 0
  /** What the reader had last: more of the same text may gather. */
  #given: ModelEvent['type'] | undefined
  #isAsked = false

  constructor(options: QueueOptions) {
    this.#options = options
  }

  push(event: ModelEvent): void {
    if (this.#isEnded) return
    const last = this.#events.at(-1)
    if (isText(event) && last?.type === event.type) last.delta += event.delta
    else this.#events.push(event)
    if (this.#waiting) this.#pass(this.#waiting)
    if (!isText(event) || this.#events.length === 0) return
    this.#bufferedChars += event.delta.length
    if (this.#bufferedChars > MAX_BUFFERED_CHARS) this.#options.onFull()
  }

  /** No more events; what is queued is still read. */
  end(): void {
    this.#isEnded = true
    if (this.#waiting) this.#pass(this.#waiting)
  }

  /** The producer threw: the reader gets that after what is queued. */
  fail(error: unknown): void {
    this.#failure = { error }
    this.end()
  }

  next(): Promise<IteratorResult<ModelEvent, undefined>> {
    const waiting: Waiting = Promise.withResolvers()
    this.#waiting = waiting
    this.#pass(waiting)
    return waiting.promise
  }

  /** The reader leaves early. */
  return(): Promise<IteratorResult<ModelEvent, undefined>> {
    this.#events = []
    this.#failure = undefined
    this.end()
    this.#options.onReturn()
    return Promise.resolve({ done: true, value: undefined })
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  /** Hands on what the reader waits for, if it is there and need not gather any more. */
  #pass(waiting: Waiting, isDue = false): void {
    // An abort also takes what was received but not read.
    if (this.#options.signal.aborted) this.#events = []
    if (this.#events.length > 0) {
      if (!isDue && this.#gathers()) return this.#askPace()
      this.#waiting = undefined
      waiting.resolve({ done: false, value: this.#take() })
    } else if (this.#isEnded) {
      this.#waiting = undefined
      if (this.#failure) waiting.reject(this.#failure.error)
      else waiting.resolve({ done: true, value: undefined })
    }
  }

  /** Nothing waits but more of the text that the reader is in the middle of. */
  #gathers(): boolean {
    const [first, second] = this.#events
    if (this.#isEnded || second || !this.#options.pace) return false
    return isText(first!) && first.type === this.#given
  }

  #askPace(): void {
    if (this.#isAsked) return
    this.#isAsked = true
    this.#options.pace!.next(this.#onPace)
  }

  readonly #onPace = (): void => {
    this.#isAsked = false
    if (this.#waiting) this.#pass(this.#waiting, true)
  }

  #take(): ModelEvent {
    const event = this.#events.shift()!
    this.#given = event.type
    if (this.#events.length === 0 && this.#bufferedChars > 0) {
      this.#bufferedChars = 0
      this.#options.onDrained()
    }
    return event
  }
}

function isText(event: ModelEvent): event is ModelEvent & { type: 'text' | 'thinking' } {
  return event.type === 'text' || event.type === 'thinking'
}
