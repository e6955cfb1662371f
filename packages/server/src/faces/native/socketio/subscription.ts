import type { PatchMode } from '@parley/protocol'
import { type CaughtUp, feed, type FeedSource, type FeedStart } from '../../../feed/feed.ts'
import { ENCODINGS } from '../encodings/encodings.ts'
import type { Outbox } from './outbox.ts'

export type SubscriptionOptions = { session_id: string; mode: PatchMode; start: FeedStart }

/** What a subscription works with. `onEnd` is told once, when it ends by itself: the session is gone, or reading failed. */
export type SubscriptionParts = { source: FeedSource; outbox: Outbox; onEnd: (error: unknown) => void }

/** One socket following one session: pulls from the journal only as fast as the socket takes. */
export class Subscription {
  readonly session_id: string
  readonly mode: PatchMode
  /** Resolves when everything up to now has been sent; `null` when the subscription ended before that. */
  readonly caughtUp: Promise<CaughtUp | null>
  readonly #caughtUp = Promise.withResolvers<CaughtUp | null>()
  readonly #stop = new AbortController()
  readonly #pumping: Promise<void>
  #sent: number | undefined
  #held: Promise<void> | undefined

  constructor({ source, outbox, onEnd }: SubscriptionParts, options: SubscriptionOptions) {
    this.session_id = options.session_id
    this.mode = options.mode
    this.caughtUp = this.#caughtUp.promise
    this.#pumping = this.#run(this.#pump(source, outbox, options), onEnd)
  }

  /** Number of the last event sent. */
  get sent(): number | undefined {
    return this.#sent
  }

  /** Keeps a run's start back until disposed: the sender's acknowledgement goes first. */
  hold(): Disposable {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#held = promise
    return {
      [Symbol.dispose]: () => {
        this.#held = undefined
        resolve()
      },
    }
  }

  /** Resolves when nothing more will be sent. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#pumping
  }

  async #run(pumping: Promise<void>, onEnd: (error: unknown) => void): Promise<void> {
    let failure: unknown
    try {
      await pumping
    } catch (error) {
      failure = error
    }
    this.#caughtUp.resolve(null)
    if (!this.#stop.signal.aborted) onEnd(failure)
  }

  async #pump(source: FeedSource, outbox: Outbox, { session_id, start, mode }: SubscriptionOptions): Promise<void> {
    const { signal } = this.#stop
    for await (const { shown, caughtUp } of feed(source, { session_id, start, encoding: ENCODINGS[mode], signal })) {
      for (const event of shown) {
        if (event.name === 'chat:start' && this.#held) await this.#held
        if (outbox.isFull) await outbox.drained(signal)
        if (signal.aborted) return
        outbox.send(event)
        this.#sent = Math.max(this.#sent ?? 0, event.event_seq)
      }
      if (!caughtUp) continue
      this.#sent ??= caughtUp.head
      this.#caughtUp.resolve(caughtUp)
    }
  }
}
