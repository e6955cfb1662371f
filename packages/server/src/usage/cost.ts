import type { Price } from '../config/price-options.ts'

export type Tokens = { input_tokens: number; cached_tokens: number; output_tokens: number }

/** A price has at most six decimals and is of a million tokens: a token costs a whole number of these parts of the currency. */
const PARTS = 1_000_000_000_000n
const DECIMALS = 1_000_000

/** Exact, in trillionths of the currency: however many are added up, nothing is lost. */
export function costOf({ input_tokens, cached_tokens, output_tokens }: Tokens, price: Price): bigint {
  const { input, output, cached = input } = price
  return (
    BigInt(input_tokens - cached_tokens) * parts(input) +
    BigInt(cached_tokens) * parts(cached) +
    BigInt(output_tokens) * parts(output)
  )
}

/** As it is told: rounded once, to a millionth. */
export function inMoney(cost: bigint): number {
  const millionth = PARTS / BigInt(DECIMALS)
  return Number((cost + millionth / 2n) / millionth) / DECIMALS
}

const parts = (price: number) => BigInt(Math.round(price * DECIMALS))

/** What some tokens of several models cost together: absent where none has a price, partial where some have none. */
export class Cost {
  #cost = 0n
  #hasPrice = false
  #lacksPrice = false

  add(tokens: Tokens, price: Price | undefined): void {
    if (price) this.#cost += costOf(tokens, price)
    if (price) this.#hasPrice = true
    else if (tokens.input_tokens + tokens.output_tokens > 0) this.#lacksPrice = true
  }

  take(other: Cost): void {
    this.#cost += other.#cost
    this.#hasPrice ||= other.#hasPrice
    this.#lacksPrice ||= other.#lacksPrice
  }

  told(): { cost?: number; cost_is_partial?: true } {
    if (!this.#hasPrice) return {}
    return { cost: inMoney(this.#cost), ...(this.#lacksPrice && { cost_is_partial: true }) }
  }
}
