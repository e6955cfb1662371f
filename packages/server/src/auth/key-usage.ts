import type { Engine } from '../store/engine.ts'
import { runSql } from '../store/work.ts'
import { isoTime } from './tools.ts'

const INTERVAL_MS = 60_000
const KEYS_REMEMBERED = 10_000

/** Writes `last_used_at`, at most once a minute per key, while the request that used it goes on. */
export class KeyUsage implements AsyncDisposable {
  readonly #engine: Engine
  readonly #now: () => number
  readonly #onError: (error: unknown) => void
  readonly #written = new Map<string, number>()
  #underWay: Promise<void> = Promise.resolve()

  constructor(engine: Engine, now: () => number, onError: (error: unknown) => void) {
    this.#engine = engine
    this.#now = now
    this.#onError = onError
  }

  used(key_id: string): void {
    const now = this.#now()
    // Also of a clock that was set back: the minute is over all the same.
    if (Math.abs(now - (this.#written.get(key_id) ?? -Infinity)) < INTERVAL_MS) return
    if (this.#written.size >= KEYS_REMEMBERED) this.#written.clear()
    this.#written.set(key_id, now)
    this.#underWay = this.#underWay.then(() => this.#write(key_id, now))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#underWay
  }

  async #write(key_id: string, now: number): Promise<void> {
    try {
      await this.#engine.write(
        () => runSql('UPDATE api_keys SET last_used_at = ? WHERE id = ?', [isoTime(now), key_id]),
        {
          durability: 'normal',
        },
      )
    } catch (error) {
      // Nobody waits for this: the next minute writes a better value.
      this.#onError(error)
    }
  }
}
