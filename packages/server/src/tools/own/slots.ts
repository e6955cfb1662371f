/** All that wait; and who waits has at most half of the line, so that nobody keeps the others out of it. */
const WAITING = 1_000

type Waiting = { who: string; begin: () => void }

/**
 * So many at a time; the others wait for their turn. Nobody has more than half of them, so that one with much to do leaves
 * room, and whoever has the fewest is next; among equals in order.
 */
export class Slots {
  readonly #count: number
  readonly #taken = new Map<string, number>()
  #waiting: Waiting[] = []

  constructor(count: number) {
    this.#count = count
  }

  /** Waits until `who` may have one; throws the signal's reason when that comes first. */
  async take(who: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const others = this.#waiting.filter((each) => each.who === who).length
    if (this.#waiting.length >= WAITING || others >= WAITING / 2)
      throw new Error('Too many calls wait for a process already.')
    const turn = Promise.withResolvers<void>()
    const waiting = { who, begin: turn.resolve }
    const giveUp = () => {
      this.#waiting = this.#waiting.filter((each) => each !== waiting)
      turn.reject(signal.reason as Error)
    }
    signal.addEventListener('abort', giveUp, { once: true })
    this.#waiting.push(waiting)
    this.#next()
    await turn.promise
    signal.removeEventListener('abort', giveUp)
  }

  free(who: string): void {
    const left = this.#has(who) - 1
    if (left > 0) this.#taken.set(who, left)
    else this.#taken.delete(who)
    this.#next()
  }

  #next(): void {
    const taken = [...this.#taken.values()].reduce((sum, each) => sum + each, 0)
    if (taken >= this.#count) return
    const share = Math.ceil(this.#count / 2)
    const fewest = this.#waiting
      .filter(({ who }) => this.#has(who) < share)
      .reduce<Waiting | undefined>(
        (best, each) => (best && this.#has(best.who) <= this.#has(each.who) ? best : each),
        undefined,
      )
    if (!fewest) return
    this.#waiting = this.#waiting.filter((each) => each !== fewest)
    this.#taken.set(fewest.who, this.#has(fewest.who) + 1)
    fewest.begin()
  }

  #has(who: string): number {
    return this.#taken.get(who) ?? 0
  }
}
