import type { ServerResponse } from 'node:http'

export type PatienceOptions = {
  response: ServerResponse
  timeoutMs: number
  closing: AbortSignal
  /** The caller's credential has ended. */
  expelled: AbortSignal
}

/** How long a caller waits for a run: until it hangs up or is sent away, its time is over, or the server closes. */
export class Patience implements Disposable {
  readonly #hungUp = new AbortController()
  readonly #timeout = new AbortController()
  readonly #closing: AbortSignal
  readonly #expelled: AbortSignal
  readonly #timer: NodeJS.Timeout
  readonly #timedOut = Promise.withResolvers<void>()
  readonly #response: ServerResponse
  readonly #onClose = () => this.#hungUp.abort()

  constructor({ response, timeoutMs, closing, expelled }: PatienceOptions) {
    this.#closing = closing
    this.#expelled = expelled
    this.#response = response
    this.#timer = setTimeout(() => {
      this.#timeout.abort()
      this.#timedOut.resolve()
    }, timeoutMs)
    response.once('close', this.#onClose)
  }

  /** Nobody is there to write to any more, or nobody will be in a moment. */
  get gone(): AbortSignal {
    return AbortSignal.any([this.#hungUp.signal, this.#closing, this.#expelled])
  }

  /** Any of these. */
  get over(): AbortSignal {
    return AbortSignal.any([this.gone, this.#timeout.signal])
  }

  get timedOut(): Promise<void> {
    return this.#timedOut.promise
  }

  get isTimedOut(): boolean {
    return this.#timeout.signal.aborted
  }

  get isHungUp(): boolean {
    return this.#hungUp.signal.aborted
  }

  get isExpelled(): boolean {
    return this.#expelled.aborted
  }

  get isClosing(): boolean {
    return this.#closing.aborted
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    this.#response.off('close', this.#onClose)
  }
}
