import type { ServerResponse } from 'node:http'
import type { Credential } from '../auth/tools.ts'
import type { Door } from './door.ts'

export type PatienceOptions = {
  response: ServerResponse
  timeoutMs: number
  door: Pick<Door, 'closing' | 'guests'>
  /** What the caller came in with. */
  credential: Credential
}

/** How long a caller waits for a run: until it hangs up or is sent away, its time is over, or the server closes. */
export class Patience implements Disposable {
  readonly #hungUp = new AbortController()
  readonly #timeout = new AbortController()
  readonly #expelled = new AbortController()
  readonly #closing: AbortSignal
  readonly #timer: NodeJS.Timeout
  readonly #timedOut = Promise.withResolvers<void>()
  readonly #response: ServerResponse
  readonly #onClose = () => this.#hungUp.abort()
  readonly #leave: () => void

  constructor({ response, timeoutMs, door, credential }: PatienceOptions) {
    this.#closing = door.closing
    this.#response = response
    this.#timer = setTimeout(() => {
      this.#timeout.abort()
      this.#timedOut.resolve()
    }, timeoutMs)
    response.once('close', this.#onClose)
    this.#leave = door.guests.add(credential, () => this.#expelled.abort())
  }

  /** Nobody is there to write to any more, or nobody will be in a moment. */
  get gone(): AbortSignal {
    return AbortSignal.any([this.#hungUp.signal, this.#closing, this.#expelled.signal])
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

  /** Its credential has ended. */
  get isExpelled(): boolean {
    return this.#expelled.signal.aborted
  }

  get isClosing(): boolean {
    return this.#closing.aborted
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    this.#response.off('close', this.#onClose)
    this.#leave()
  }
}
