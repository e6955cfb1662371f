import type { UsageFigures } from '@parley/protocol/rest'
import type { Price } from '../config/price-options.ts'
import { Cost } from './cost.ts'
import type { UsedTogether } from './read-usage.ts'
import { Times } from './times.ts'

/** What some runs have used together. */
export class Sum {
  #runs = 0
  #failed = 0
  #interrupted = 0
  #paused = 0
  #input = 0
  #cached = 0
  #output = 0
  #waited = 0
  readonly #cost = new Cost()
  readonly #firstTokens = new Times()
  readonly #times = new Times()

  get size(): number {
    return this.#runs + this.#input + this.#output
  }

  add(used: UsedTogether, price: Price | undefined): void {
    this.#runs += used.runs
    this.#failed += used.failed
    this.#interrupted += used.interrupted
    this.#paused += used.paused
    this.#input += used.input_tokens
    this.#cached += used.cached_tokens
    this.#output += used.output_tokens
    this.#waited += used.waited_ms
    this.#cost.add(used, price)
    this.#firstTokens.addAll(used.first_token_ms)
    this.#times.addAll(used.run_ms)
  }

  take(other: Sum): void {
    this.#runs += other.#runs
    this.#failed += other.#failed
    this.#interrupted += other.#interrupted
    this.#paused += other.#paused
    this.#input += other.#input
    this.#cached += other.#cached
    this.#output += other.#output
    this.#waited += other.#waited
    this.#cost.take(other.#cost)
    this.#firstTokens.take(other.#firstTokens)
    this.#times.take(other.#times)
  }

  figures(): UsageFigures {
    return {
      runs: this.#runs,
      failed: this.#failed,
      interrupted: this.#interrupted,
      paused: this.#paused,
      input_tokens: this.#input,
      cached_tokens: this.#cached,
      output_tokens: this.#output,
      ...this.#cost.told(),
      first_token_ms: this.#firstTokens.percentiles(),
      run_ms: this.#times.percentiles(),
      waited_ms: this.#waited,
    }
  }
}
