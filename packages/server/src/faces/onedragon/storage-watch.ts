const LOOK_MS = 200

/** Looks after the store for as long as somebody waits for what is stored there. A lock that passes is no trouble. */
export class StorageWatch {
  readonly #trouble: () => Promise<string | null>
  readonly #forMs: number
  readonly #waiting = new Set<AbortController>()
  #timer: NodeJS.Timeout | undefined
  #since: number | undefined

  constructor(trouble: () => Promise<string | null>, forMs: number) {
    this.#trouble = trouble
    this.#forMs = forMs
  }

  /** `isDown` aborts once nothing could be stored for so long; dispose when it does not matter any more. */
  watch(): Disposable & { isDown: AbortSignal } {
    const down = new AbortController()
    this.#waiting.add(down)
    this.#timer ??= setInterval(() => void this.#look(), LOOK_MS)
    return {
      isDown: down.signal,
      [Symbol.dispose]: () => {
        this.#waiting.delete(down)
        if (this.#waiting.size === 0) this.#rest()
      },
    }
  }

  async #look(): Promise<void> {
    const isTroubled = (await this.#trouble().catch(() => 'out of reach')) !== null
    if (!isTroubled) this.#since = undefined
    else this.#since ??= performance.now()
    if (this.#since === undefined || performance.now() - this.#since < this.#forMs) return
    for (const down of this.#waiting) down.abort()
  }

  #rest(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#since = undefined
  }
}
