import { Refusal } from './refusal.ts'

/** [S12] The open streams of this process, and who waits for one answer. */
export class Streams {
  readonly #max: number
  #open = 0

  constructor(max: number) {
    this.#max = max
  }

  /** A place among them, until it is disposed of. */
  take(): Disposable {
    if (this.#open >= this.#max)
      throw new Refusal('MAX_CONCURRENT_EXCEEDED', 'Too many streams are open. Try again later.')
    this.#open += 1
    return { [Symbol.dispose]: () => void (this.#open -= 1) }
  }
}
