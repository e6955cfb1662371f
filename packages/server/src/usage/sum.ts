import type { UsageFigures } from '@parley/protocol/rest'
import type { UsedRow } from './read-usage.ts'
import { Times } from './times.ts'

/** Of a million tokens. */
export type Price = { input: number; output: number; cached?: number | undefined }

const PRICED = 1_000_000

/** What some runs have used together. */
export class Sum {
  #runs = 0
  readonly #ended: Record<string, number> = { failed: 0, interrupted: 0, paused: 0 }
  #input = 0
  #cached = 0
  #output = 0
  #waited = 0
  #cost = 0
  #hasPrice = false
  #lacksPrice = false
  readonly #firstTokens = new Times()
  readonly #times = new Times()

  get size(): number {
    return this.#runs + this.#input + this.#output
  }

  add(row: UsedRow, price: Price | undefined): void {
    const { input_tokens, cached_tokens, output_tokens, first_token_ms, run_ms } = row
    this.#runs += row.is_run
    if (row.is_run === 1 && row.outcome in this.#ended) this.#ended[row.outcome]! += 1
    this.#input += input_tokens
    this.#cached += cached_tokens
    this.#output += output_tokens
    this.#waited += row.waited_ms
    if (first_token_ms !== null) this.#firstTokens.add(first_token_ms)
    if (run_ms !== null) this.#times.add(run_ms)
    if (price) {
      const { input, output, cached = input } = price
      this.#cost += ((input_tokens - cached_tokens) * input + cached_tokens * cached + output_tokens * output) / PRICED
      this.#hasPrice = true
    } else if (input_tokens + output_tokens > 0) this.#lacksPrice = true
  }

  take(other: Sum): void {
    this.#runs += other.#runs
    for (const outcome of Object.keys(this.#ended)) this.#ended[outcome]! += other.#ended[outcome]!
    this.#input += other.#input
    this.#cached += other.#cached
    this.#output += other.#output
    this.#waited += other.#waited
    this.#cost += other.#cost
    this.#hasPrice ||= other.#hasPrice
    this.#lacksPrice ||= other.#lacksPrice
    this.#firstTokens.take(other.#firstTokens)
    this.#times.take(other.#times)
  }

  figures(): UsageFigures {
    return {
      runs: this.#runs,
      failed: this.#ended['failed']!,
      interrupted: this.#ended['interrupted']!,
      paused: this.#ended['paused']!,
      input_tokens: this.#input,
      cached_tokens: this.#cached,
      output_tokens: this.#output,
      ...(this.#hasPrice && { cost: this.#cost }),
      ...(this.#hasPrice && this.#lacksPrice && { cost_is_partial: true }),
      first_token_ms: this.#firstTokens.percentiles(),
      run_ms: this.#times.percentiles(),
      waited_ms: this.#waited,
    }
  }
}
