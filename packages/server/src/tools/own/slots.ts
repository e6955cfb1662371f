const WAITING = 1_000

/** So many at a time; the others wait for their turn, in order. */
export class Slots {
  #free: number
  #waiting: (() => void)[] = []

  constructor(count: number) {
    this.#free = count
  }

  /** Waits until one is free; throws the signal's reason when that comes first. */
  async take(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (this.#free > 0) {
      this.#free--
      return
    }
    if (this.#waiting.length >= WAITING) throw new Error('Too many calls wait for a process already.')
    const turn = Promise.withResolvers<void>()
    const giveUp = () => {
      this.#waiting = this.#waiting.filter((each) => each !== turn.resolve)
      turn.reject(signal.reason as Error)
    }
    this.#waiting.push(turn.resolve)
    signal.addEventListener('abort', giveUp, { once: true })
    await turn.promise
    signal.removeEventListener('abort', giveUp)
  }

  free(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#free++
  }
}
